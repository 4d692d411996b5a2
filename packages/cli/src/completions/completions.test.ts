/** The scripts in the shells they are for. A shell that is not installed is named; its script is then not tried. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHELLS } from './shells.ts';

function has(shell: string): boolean {
  const there = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!there) console.log(`${shell} is not installed: its completions go untested.`);
  return there;
}

function scriptFor(shell: string): string {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-completions-')), 'script');
  writeFileSync(file, SHELLS[shell]?.() ?? '');
  return file;
}

function inBash(...words: readonly string[]): string[] {
  const list = words.map((word) => `'${word}'`).join(' ');
  const ask = `source ${scriptFor('bash')}; COMP_WORDS=(heddle ${list}); COMP_CWORD=${words.length}; _heddle; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', ask], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe('completions', () => {
  it('in bash know commands, their words, flags and the words that a flag takes', () => {
    expect(inBash('sess')).toEqual(['sessions']);
    expect(inBash('permissions', 'ex')).toEqual(['explain']);
    expect(inBash('--output-f')).toEqual(['--output-format']);
    expect(inBash('-p', '--effort', 'x')).toEqual(['xhigh']);
    expect(inBash('--max-turns', '')).toEqual([]);
  });

  it.runIf(has('zsh'))('make a script that zsh reads', () => {
    execFileSync('zsh', ['-n', scriptFor('zsh')]);
  });

  it.runIf(has('fish'))('in fish know the same', () => {
    const ask = (line: string): string =>
      execFileSync('fish', ['-c', `source ${scriptFor('fish')}; complete -C '${line}'`], {
        encoding: 'utf8',
      });
    expect(ask('heddle sess')).toContain('sessions');
    expect(ask('heddle --effort x')).toContain('xhigh');
  });
});
