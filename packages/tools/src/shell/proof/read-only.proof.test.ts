/** Random tests: the shell accepts every proven command, and a list with an unproven part is never proven. */
import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { codePoint } from '@heddle/testing/properties';
import { describe, expect, it } from 'vitest';
import { isReadOnlyCommand } from './read-only.ts';

const proving = process.env['HEDDLE_PROVE'] === '1';
const RUNS = proving ? 20_000 : 700;
const SHELL_CHECKS = proving ? 2_000 : 70;

const quoting = fc.constantFrom(
  (word: string) => word,
  (word: string) => `'${word}'`,
  (word: string) => `"${word}"`,
  (word: string) => `${word.slice(0, 1)}'${word.slice(1)}'`,
);
const word = fc
  .tuple(fc.constantFrom('ls', 'a', 'b.ts', '-l', '-la', 'src/x', '10', 'x=y', '--all'), quoting)
  .map(([text, quote]) => quote(text));
const space = fc.constantFrom(' ', '  ', '\t', ' \t ');
const program = fc
  .tuple(fc.constantFrom('ls', 'cat', 'echo', 'head', 'wc', 'pwd', 'du', '/bin/ls'), quoting)
  .map(([name, quote]) => quote(name));
const redirection = fc.constantFrom('', '', '', ' >/dev/null', ' 2>&1', ' 2> /dev/null', ' < a');
const proven = fc
  .tuple(program, fc.array(fc.tuple(space, word), { maxLength: 4 }), redirection)
  .map(([name, args, end]) => name + args.flat().join('') + end);
const separator = fc.constantFrom(' | ', '|', ' && ', '&&', ' || ', '; ', ';', '\n', ' |& ', '\n\n');
const list = fc
  .tuple(proven, fc.array(fc.tuple(separator, proven), { maxLength: 4 }))
  .map(([first, rest]) => [first].concat(rest.flat()));

const unproven = fc.constantFrom(
  'rm a',
  'touch x',
  'x=1',
  'find . -delete',
  'git log',
  'sort -o a',
  'echo $(rm a)',
  'echo `rm a`',
  'echo "$(rm a)"',
  'ls > a',
  'ls >> a',
  'cat <(rm a)',
  '(ls)',
  '{ ls; }',
  'if ls; then rm a; fi',
  'rg x *',
  'sort -*',
  'sort $x',
  'eval ls',
  'A=1 ls',
  'cat <<E\n$(rm a)\nE\n',
  'l\\s; rm a',
  'f() { rm a; }',
  '! rm a',
  'time rm a',
  'coproc rm a',
  'bash -c ls',
  'ls & rm a',
);

const fragment = fc.constantFrom(
  ...' \t\n;|&<>(){}[]$`\'"\\!*?~^#=-'.split(''),
  'ls',
  'cat',
  'a',
  'rm',
  'EOF',
  '<<EOF',
  '/dev/null',
  '$(',
  '<(',
  '&&',
  '||',
  '2>&1',
  '>&',
  '-delete',
  'find .',
  'git log',
  'if',
  'then',
  'fi',
  'for',
  'do',
  'done',
  'case',
  'esac',
  'echo',
  '--',
  '\u00a0',
  'é',
);

describe('the proof, fuzzed', () => {
  it('holds for every list of proven commands, with any quotes and spaces', () => {
    fc.assert(
      fc.property(list, (parts) => {
        expect({ text: parts.join(''), proven: isReadOnlyCommand(parts.join('')) }).toMatchObject({
          proven: true,
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('fails with an unproven part at any position', () => {
    const at = fc.nat({ max: 8 });
    fc.assert(
      fc.property(list, unproven, separator, at, (parts, bad, between, position) => {
        const commands = parts.filter((_, index) => index % 2 === 0);
        commands.splice(position % (commands.length + 1), 0, bad);
        const text = commands.join(between);
        expect({ text, proven: isReadOnlyCommand(text) }).toEqual({ text, proven: false });
      }),
      { numRuns: RUNS },
    );
  });

  it('holds only for commands that the shell can parse', () => {
    const found = new Set<string>();
    fc.assert(
      fc.property(fc.array(fragment, { minLength: 1, maxLength: 10 }), (parts) => {
        const text = parts.join('');
        if (isReadOnlyCommand(text)) found.add(text);
      }),
      { numRuns: RUNS * 10 },
    );
    expect(found.size).toBeGreaterThan(10);
    for (const text of [...found].slice(0, SHELL_CHECKS)) {
      const { status, stderr } = spawnSync('bash', ['-n', '-c', text], { encoding: 'utf8' });
      expect({ text, status, stderr }).toEqual({ text, status: 0, stderr: '' });
    }
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 60 }), (text) => {
        isReadOnlyCommand(text);
      }),
      { numRuns: RUNS },
    );
  });
});
