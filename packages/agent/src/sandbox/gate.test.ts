/** Tests where commands run, and the behavior if the sandbox cannot start. A table replaces the sandbox. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { WITHOUT_SANDBOX } from './gate.ts';
import type { SandboxReadiness, Sandbox } from './sandbox.ts';
import { sandboxFixtures } from './test/sandbox-fixture.ts';
import type { PermissionAnswer, PermissionQuestion } from '../permission/question.ts';

const open = sandboxFixtures();
const BROKEN: SandboxReadiness = {
  ready: false,
  reason: 'There is no bubblewrap.',
  install: 'apt-get install bubblewrap',
};

/** Runs commands unchanged, after a line that names the sandbox. */
function tableSandbox(readiness: SandboxReadiness = { ready: true }): Sandbox {
  return {
    prepare: () => Promise.resolve(readiness),
    wrap: ({ script }) =>
      Promise.resolve({
        launch: { ok: true, file: 'bash', args: ['-c', `echo inside; ${script}`] },
        ended: () => Promise.resolve({ refused: [], exposed: [] }),
      }),
    dispose: () => Promise.resolve(),
  };
}

function answering(answer: PermissionAnswer, questions: PermissionQuestion[] = []) {
  const ask = (question: PermissionQuestion) => {
    questions.push(question);
    return Promise.resolve(answer);
  };
  return { ask, questions };
}

const call = (command: string, more: object = {}) => ({
  toolUseId: 'b1',
  tool: 'Bash',
  input: { command, ...more },
  mode: 'default' as const,
});
const { signal } = new AbortController();

describe('a sandbox that cannot start', () => {
  const sandbox = tableSandbox(BROKEN);

  it('refuses commands if there is no user to ask, tells how to fix it, and reports it once', async () => {
    const { run, gate, told: notices, project } = open({ sandbox });
    for (const command of ['touch a', 'touch b']) {
      const ran = await run(command);
      expect(ran.isError).toBe(true);
      expect(ran.text).toContain('There is no bubblewrap. To fix it: apt-get install bubblewrap.');
    }
    expect(await gate.enter(call('touch c'), signal)).toMatchObject({ kind: 'refused' });
    expect(notices).toEqual(['There is no bubblewrap. To fix it: apt-get install bubblewrap.']);
    expect(existsSync(path.join(project, 'a'))).toBe(false);
  });

  it('asks once under its own tool name, and continues without the sandbox for the session if allowed', async () => {
    const { ask, questions } = answering({ allow: true });
    const { run, gate } = open({ sandbox, ask });
    const both = await Promise.all([gate.enter(call('one'), signal), gate.enter(call('two'), signal)]);
    expect(both).toEqual([{ kind: 'outside' }, { kind: 'outside' }]);
    expect(questions).toMatchObject([
      { tool: WITHOUT_SANDBOX, input: { reason: 'There is no bubblewrap.' } },
    ]);
    expect((await run('echo ran')).text).toBe('ran');
  });

  it('asks once what to do; who denies hears no more of it, and no command runs', async () => {
    const { ask, questions } = answering({ allow: false });
    const { run, gate } = open({ sandbox, ask });
    expect(await gate.enter(call('one'), signal)).toMatchObject({ kind: 'refused' });
    expect(await gate.enter(call('two'), signal)).toMatchObject({ kind: 'refused' });
    expect(questions).toHaveLength(1);
    expect((await run('echo ran')).text).toContain('The user does not want to run commands without it.');
  });

  it('is asked about again when the question was withdrawn', async () => {
    let asked = 0;
    const never = () => {
      asked++;
      return Promise.withResolvers<PermissionAnswer>().promise;
    };
    const { gate } = open({ sandbox, ask: never });
    const abort = new AbortController();
    const first = gate.enter(call('one'), abort.signal);
    abort.abort();
    expect(await first).toMatchObject({ kind: 'refused', why: 'The question was withdrawn.' });
    const again = new AbortController();
    const second = gate.enter(call('two'), again.signal);
    again.abort();
    await second;
    expect(asked).toBe(2);
  });

  it('is not asked about in the mode dontAsk', async () => {
    const { ask, questions } = answering({ allow: true });
    const { gate } = open({ sandbox, ask });
    expect(await gate.enter({ ...call('one'), mode: 'dontAsk' }, signal)).toMatchObject({ kind: 'refused' });
    expect(questions).toEqual([]);
  });

  it('does not concern what runs outside anyway', async () => {
    const { run } = open({ sandbox, settings: { excludedCommands: ['echo *'] } });
    expect((await run('echo ran')).text).toBe('ran');
  });
});

describe('where a command runs', () => {
  const sandbox = tableSandbox();
  const where = async (settings: object, command: string, more: object = {}): Promise<string> =>
    (await open({ sandbox, settings: { ...settings } }).gate.enter(call(command, more), signal)).kind;

  it('is inside, unless an excluded command is among its parts', async () => {
    const settings = { excludedCommands: ['docker', 'npm run e2e *'] };
    for (const command of ['ls', 'dockerd', 'npm run e2ex', 'echo docker ps', 'echo "unclosed']) {
      expect([command, await where(settings, command)]).toEqual([command, 'inside']);
    }
    for (const command of [
      'docker ps',
      'cd x && docker ps',
      'npm run e2e a',
      'timeout 5 docker ps',
      'echo $(docker ps)',
    ]) {
      expect([command, await where(settings, command)]).toEqual([command, 'outside']);
    }
  });

  it('is outside for the making of a repository, which no command inside may do', async () => {
    expect(await where({}, 'git init')).toBe('outside');
    expect(await where({}, 'git init -b main .')).toBe('outside');
    expect(await where({}, 'git init && make')).toBe('inside');
  });

  it('is outside when the model asks for it and settings allow that', async () => {
    expect(await where({}, 'make', { dangerouslyDisableSandbox: true })).toBe('outside');
    expect(
      await where({ allowUnsandboxedCommands: false }, 'make', { dangerouslyDisableSandbox: true }),
    ).toBe('inside');
  });

  it('is told to the model only where it may ask for it', () => {
    const properties = (settings: object): object => {
      const schema: unknown = open({ sandbox, settings: { ...settings } }).bash.inputJSONSchema;
      return typeof schema === 'object' &&
        schema !== null &&
        'properties' in schema &&
        typeof schema.properties === 'object'
        ? (schema.properties ?? {})
        : {};
    };
    expect(properties({})).toHaveProperty('dangerouslyDisableSandbox');
    expect(properties({ allowUnsandboxedCommands: false })).not.toHaveProperty('dangerouslyDisableSandbox');
  });

  it('ignores other tools', async () => {
    const { gate } = open({ sandbox: tableSandbox(BROKEN) });
    expect(await gate.enter({ ...call('x'), tool: 'Read', input: { file_path: 'x' } }, signal)).toEqual({
      kind: 'outside',
    });
  });
});
