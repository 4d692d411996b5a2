import { describe, expect, it } from 'vitest';
import type { ReadCommand, SimpleCommand } from './command.ts';
import { readCommand } from './read-command.ts';

function read(text: string): Extract<ReadCommand, { ok: true }> {
  const result = readCommand(text);
  if (!result.ok) throw new Error(result.reason);
  return result;
}

function first(text: string): SimpleCommand {
  const [command] = read(text).commands;
  if (!command) throw new Error('no command');
  return command;
}

function names(text: string): (string | undefined)[] {
  return read(text).commands.map(({ name }) => name?.value);
}

describe('the shell reader', () => {
  it.each([
    ['a; b && c || d | e |& f & g', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
    ['a\nb', ['a', 'b']],
    ['(a; { b; })', ['a', 'b']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['for x in $(a); do b; done; while c; do d; done; until e; do f; done', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['case $(a) in x) b;; *) c;; esac', ['a', 'b', 'c']],
    ['f() { a; }; f', ['a', 'f']],
    ['echo "$(a `b`)" ${x:-$(c)} $(( $(d) + 1 ))', ['echo', 'a', 'b', 'c', 'd']],
    ['diff <(a) >(b)', ['diff', 'a', 'b']],
    ['cat <<E\n$(a)\nE', ['cat', 'a']],
    ['cat <<E\n$(a b; c)\nE\nd', ['cat', 'a', 'c', 'd']],
    ["cat <<'E'\n$(a)\nE", ['cat']],
    ['cat <<< "$(a)"', ['cat', 'a']],
    ['x=$(a) b', ['b', 'a']],
    ['x=(1 $(a))', [undefined, 'a']],
    ['[[ -f $(a) ]] && b', ['a', 'b']],
    ['echo > "$(a)"', ['echo', 'a']],
    ['{ a; } > "$(b)"', ['a', 'b']],
    ['coproc a', ['a']],
    ['a # b; c', ['a']],
  ])('finds every command of %j', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it.each([
    ['ls "a b"', 'a b', 'literal', true],
    ['ls \'a b\'"c"d', 'a bcd', 'literal', true],
    ['ls a\\ b', 'a b', 'literal', false],
    ['ls "a\\"b"', 'a"b', 'literal', false],
    ["ls $'a\\x41'", 'aA', 'literal', false],
    ['ls ~/a', '~/a', 'tilde', false],
    ['ls a~', 'a~', 'literal', false],
    ['dd of=~/a', 'of=~/a', 'dynamic', false],
    ['ls src/*.ts', 'src/*.ts', 'pattern', false],
    ['ls [ab]', '[ab]', 'pattern', false],
    ['ls "*"', '*', 'literal', true],
    ['ls {a,b}', '{a,b}', 'dynamic', false],
    ['ls $x', '$x', 'dynamic', false],
    ['ls "$x"', '$x', 'dynamic', false],
    ['ls a$(b)', 'a$(b)', 'dynamic', false],
  ])('returns the certain value of the word in %j', (text, value, kind, plain) => {
    expect(first(text).args[0]).toMatchObject({ value, kind, plain });
  });

  it('returns the certain start of a word', () => {
    expect(first('ls "a b"/src/*.ts').args[0]?.prefix).toBe('a b/src/');
    expect(first('ls src$x').args[0]?.prefix).toBe('src');
  });

  it('returns the constructs around a command', () => {
    expect(read('a | (b $(c)) &').commands.map(({ inside }) => inside)).toEqual([
      ['background', 'pipeline'],
      ['background', 'pipeline', 'subshell'],
      ['background', 'pipeline', 'subshell', 'substitution'],
    ]);
    expect(first('! time a').inside).toContain('negation');
  });

  it('returns assignments and redirections, and those of compound commands separately', () => {
    const { assignments, redirections } = first('A=1 B+=$x cmd > out 2>&1 < in');
    expect(assignments.map(({ name, append, value }) => [name, append, value?.kind])).toEqual([
      ['A', false, 'literal'],
      ['B', true, 'dynamic'],
    ]);
    expect(
      redirections.map((one) => [one.kind, one.descriptor, 'target' in one ? one.target.value : '']),
    ).toEqual([
      ['file', undefined, 'out'],
      ['duplicate', 2, '1'],
      ['file', undefined, 'in'],
    ]);
    expect(read('{ a; b; } >> log').redirections).toMatchObject([
      { operator: '>>', target: { value: 'log' } },
    ]);
    expect(first('{fd}> x a').redirections[0]?.descriptor).toBe('fd');
  });

  it('returns a here-document as the command gets it', () => {
    const bodyOf = (text: string): unknown => first(text).redirections[0];
    expect(bodyOf('sh <<E\n\\$x \\`a\\` \\\\ \\b\nE')).toMatchObject({
      body: '$x `a` \\ \\b\n',
      expands: false,
    });
    expect(bodyOf("sh <<'E'\n\\$x\nE")).toMatchObject({ body: '\\$x\n' });
    expect(bodyOf('sh <<-E\n\ta\n\t\tb\n\tE')).toMatchObject({ body: 'a\nb\n' });
  });

  it('does not take an expansion that may be empty, or several words, for one word', () => {
    expect(first('kill $!').args[0]?.single).toBe(false);
    expect(first('export x={a,b}').args[0]?.single).toBe(false);
    expect(first('make "a"=b:~/c').args[0]?.begins).toBe('a=b:');
  });

  it('keeps the text of each command', () => {
    expect(read('A=1 ls -l > x && pwd').commands.map(({ text }) => text)).toEqual(['A=1 ls -l > x', 'pwd']);
    expect(read('echo `a \\`b c\\``').commands.at(-1)?.text).toBe('b c');
  });

  it.each([
    'ls &&',
    'echo(',
    'echo <2>&1',
    'echo( ls',
    'ls ;; pwd',
    'ls | | wc',
    'echo "open',
    "echo 'open",
    'echo $(open',
    '(ls',
    'if a; then b',
    'cat <<E\nno end',
    'ls\0x',
    'ls\rrm',
    'ls \ud800',
    `echo ${'x'.repeat(10_001)}`,
  ])('does not understand %j', (text) => {
    expect(readCommand(text).ok).toBe(false);
  });

  it('reads an empty text as no command', () => {
    expect(read('  # only a remark').commands).toEqual([]);
  });
});
