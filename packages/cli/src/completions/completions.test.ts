/** Runs each completion script in its shell. If a shell is not installed, its tests are skipped with a message. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn as openTerminal } from '@lydell/node-pty';
import { EVENT_DEADLINE_MS, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';
import { SHELLS } from './completions.ts';

const ID = 'abcd1234-62a5-4f0e-9d5b-5f0b1c2d3e4f';

let installed: Installed;
let where: { readonly cwd: string; readonly env: Record<string, string> };
beforeAll(async () => {
  installed = await install();
  const { folder, run, script } = homeFor(installed.program);
  writeFileSync(path.join(folder, 'notes.txt'), '');
  await run(['-p', 'Fix the build', '--model', script([say('Yes.')]), '--session-id', ID]);
  where = {
    cwd: folder,
    env: {
      PATH: `${path.dirname(installed.program)}${path.delimiter}${process.env['PATH'] ?? ''}`,
      HOME: folder,
      HEDDLE_CONFIG_DIR: path.join(folder, 'config'),
      OLLAMA_HOST: 'http://127.0.0.1:9',
      TERM: 'dumb',
    },
  };
});
afterAll(() => installed.remove());

function has(shell: string): boolean {
  const there = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!there) console.log(`${shell} is not installed. Its completions are not tested.`);
  return there;
}

function scriptFor(shell: string): string {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-completions-')), 'script');
  writeFileSync(file, SHELLS[shell]?.() ?? '');
  return file;
}

function inBash(line: string): string[] {
  const ask = `source ${scriptFor('bash')}; COMP_LINE='${line}'; COMP_POINT=${line.length}; COMP_TYPE=9; _heddle; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', ask], { encoding: 'utf8', ...where })
    .split('\n')
    .filter(Boolean);
}

describe('shell completions', () => {
  it('in bash complete commands, their subcommands, flags and flag values', () => {
    expect(inBash('heddle sess')).toEqual(['sessions']);
    expect(inBash('heddle permissions ex')).toEqual(['explain']);
    expect(inBash('heddle --output-f')).toEqual(['--output-format']);
    expect(inBash('heddle -p --effort x')).toEqual(['xhigh']);
    expect(inBash('heddle --max-turns ')).toEqual([]);
    expect(inBash('heddle -p "what" --settings not')).toEqual(['notes.txt']);
  });

  it('in bash complete sessions, settings and models from the program', () => {
    for (const line of ['sessions show ', 'sessions delete ab', '--resume ', '-r a', 'rewind ', 'replay '])
      expect([line, inBash(`heddle ${line}`)]).toEqual([line, ['abcd1234']]);
    expect(inBash('heddle config set sandbox.en')).toEqual([
      'sandbox.enabled',
      'sandbox.enableWeakerNestedSandbox',
    ]);
    expect(inBash('heddle permissions add ')).toEqual(['allow', 'ask', 'deny']);
    expect(inBash('heddle --model son')).toEqual(['sonnet']);
    // bash splits words at a colon.
    expect(inBash('heddle --model replay:')).toEqual([]);
    expect(inBash('heddle models opena')).toEqual(['openai', 'openai-chat', 'openai-compatible']);
  });

  it.runIf(has('zsh'))('in zsh complete the same, with descriptions', async () => {
    execFileSync('zsh', ['-n', scriptFor('zsh')]);
    const start = `autoload -U compinit; compinit -D; source ${scriptFor('zsh')}; PS1='> '`;
    const ask = (line: string, wanted: string) => inZsh(start, line, wanted);
    expect(await ask('heddle sessions show a', 'abcd1234')).toContain('abcd1234');
    expect(await ask('heddle --model rehe', 'rehearsal')).toContain('rehearsal');
    expect(await ask('heddle config set sandbox.', 'sandbox.enabled')).toContain('-- ');
  });

  it.runIf(has('fish'))('in fish complete the same, without duplicates', () => {
    const ask = (line: string): string[] =>
      execFileSync('fish', ['--no-config', '-c', `source ${scriptFor('fish')}; complete -C '${line}'`], {
        encoding: 'utf8',
        ...where,
      })
        .split('\n')
        .filter(Boolean);
    expect(ask('heddle sess')).toEqual([expect.stringMatching(/^sessions\t/)]);
    expect(ask('heddle --effort x')).toEqual([expect.stringContaining('xhigh')]);
    expect(ask('heddle sessions show ')).toEqual(['abcd1234\tFix the build']);
    expect(ask('heddle permissions add ')).toEqual(['allow', 'ask', 'deny']);
    expect(ask('heddle --resume ')).toEqual(['abcd1234\tFix the build']);
  });
});

/** Types a line and two tabs, and reads the screen until it contains the wanted text. */
function inZsh(start: string, line: string, wanted: string): Promise<string> {
  const terminal = openTerminal('zsh', ['-f'], { cols: 120, rows: 60, ...where });
  return new Promise((resolve) => {
    let seen = '';
    let stage: 'starting' | 'asking' = 'starting';
    const end = (): void => {
      clearTimeout(deadline);
      terminal.kill();
      resolve(seen);
    };
    const deadline = setTimeout(end, EVENT_DEADLINE_MS);
    terminal.onData((data) => {
      seen += data;
      if (stage === 'starting' && seen.includes('READY\r\n')) {
        stage = 'asking';
        seen = '';
        terminal.write(`${line}\t\t`);
      } else if (stage === 'asking' && seen.includes(wanted)) end();
    });
    terminal.write(`${start}; echo READ"Y"\n`);
  });
}
