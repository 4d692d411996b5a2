import { describe, expect, it } from 'vitest';
import { knownSecrets } from '../../known-secrets.ts';
import { runShellCommand } from './shell-command.ts';

describe('the output of a shell command of the user', () => {
  const run = async (command: string) => {
    let shown = 0;
    const show = (text: string): void => void (shown += text.length);
    const end = await runShellCommand(command, { cwd: '/', signal: new AbortController().signal, show });
    return { ...end, shown };
  };

  it('is shown and stored unchanged', async () => {
    expect(await run('printf "one\\ntwo"; exit 3')).toEqual({ output: 'one\ntwo', code: 3, shown: 7 });
  });

  it('is shown completely, but only its start and its end are stored', async () => {
    const { output, shown } = await run('echo begin; head -c 3000000 /dev/zero | tr "\\0" a; echo; echo end');
    expect(shown).toBe(3_000_011);
    expect(output).toMatch(/^begin\na{14994}\n… 2970011 characters left out …\na+\nend\n$/);
  });
});

it('redacts secrets in the output of a shell command, also if one arrives in two chunks', async () => {
  knownSecrets.add('sk-test-4f9Zq1Kx7Lw2');
  const shown: string[] = [];
  const command = 'printf sk-test-4f9; sleep 0.1; printf "Zq1Kx7Lw2 ok\\n"; echo sk-test-4f9Zq1Kx7Lw2 >&2';
  const { signal } = new AbortController();
  const { output } = await runShellCommand(command, { cwd: '/', signal, show: (text) => shown.push(text) });
  expect(output).toContain('[redacted] ok\n');
  expect(output + shown.join('')).not.toMatch(/4f9|Zq1/);
});

it('ends a shell command with its shell, although a background process runs, and removes color codes', async () => {
  const shown: string[] = [];
  const { signal } = new AbortController();
  const command = String.raw`sleep 60 & echo $!; printf '\033[31mred\033[0m\n'`;
  const { output, code } = await runShellCommand(command, {
    cwd: '/',
    signal,
    show: (text) => shown.push(text),
  });
  const [pid, ...rest] = output.trim().split('\n');
  process.kill(Number(pid), 'SIGKILL');
  expect({ rest, code, shown: shown.join('') }).toEqual({ rest: ['red'], code: 0, shown: output });
});
