/** Events that other parts of the program cause, and the answers of SessionStart. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LivePermissions, NO_RULES } from '@heddle/agent';
import { readHooks } from '@heddle/agent/hooks';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AddedDirectories, elicitWithHooks } from '../start/session-events.ts';
import { SessionHooks } from '../start/session-hooks.ts';
import { linesOf } from '../test/program.ts';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();
/** A hook that runs in this process may start in a folder of the configuration. */
beforeAll(() => {
  vi.stubEnv('HEDDLE_CONFIG_DIR', mkdtempSync(path.join(os.tmpdir(), 'heddle-config-')));
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const RECORD = 'cat >> "$CLAUDE_PROJECT_DIR/events"';

/** The user's settings with these hooks: by event, one command each. The project is not trusted, so they enter it. */
function settings(hooks: Readonly<Record<string, string>>): Record<string, string> {
  const inProject = Object.entries(hooks).map(([event, command]): [string, string] => [
    event,
    `cd "$CLAUDE_PROJECT_DIR"; ${command}`,
  ]);
  return {
    '../config/settings.json': JSON.stringify({
      hooks: declared(Object.fromEntries(inProject)),
      permissions: { allow: ['Bash'] },
    }),
  };
}

function declared(hooks: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(hooks).map(([event, command]) => [event, [{ hooks: [{ type: 'command', command }] }]]),
  );
}

function eventsIn(folder: string) {
  const file = path.join(folder, 'events');
  return existsSync(file) ? linesOf(readFileSync(file, 'utf8')) : [];
}

describe('hooks of a session', () => {
  it('answer its start with a message, watched files and new skills, and hear about each', async () => {
    const start = JSON.stringify({
      hookSpecificOutput: {
        hookEventName: 'SessionStart',
        initialUserMessage: 'Be brief today.',
        watchPaths: ['watched.txt'],
        reloadSkills: true,
      },
    });
    const makeSkill =
      'mkdir -p .claude/skills/fresh; printf -- "---\\nname: fresh\\ndescription: New\\n---\\nFresh." > .claude/skills/fresh/SKILL.md';
    const { run, sent, folder } = await project(
      {
        ...settings({
          Setup: RECORD,
          SessionStart: `${makeSkill}; echo '${start}'`,
          FileChanged: RECORD,
          MessageDisplay: RECORD,
        }),
        '.claude/skills/old/SKILL.md': '---\nname: old\ndescription: Old\n---\nOld.',
      },
      [
        [call('Bash', { command: 'echo 1 > watched.txt' }, 'b1')],
        [call('Bash', { command: 'until grep -q FileChanged events; do sleep 0.02; done' }, 'b2')],
        [say('Seen.')],
      ],
    );
    await run(['-p', 'go', '--init']);
    expect(sent()[0]).toContain('the user says:\\nBe brief today.');
    expect(sent()[0]).toContain('- fresh: New');
    expect(eventsIn(folder)).toMatchObject([
      { hook_event_name: 'Setup', trigger: 'init' },
      { hook_event_name: 'FileChanged', event: 'add', file_path: path.join(folder, 'watched.txt') },
      { hook_event_name: 'MessageDisplay', message: 'Seen.' },
    ]);
  });

  it('do not keep the program alive if they leave a process behind', async () => {
    const leave = 'setsid sleep 60 & echo $! > "$CLAUDE_PROJECT_DIR/left"';
    const { run, folder } = await project(settings({ UserPromptSubmit: leave }), [[say('Done.')]]);
    const { stdout } = await run(['-p', 'go']);
    const left = Number(readFileSync(path.join(folder, 'left'), 'utf8'));
    // Throws if the program has waited for the end of the process.
    process.kill(left, 'SIGTERM');
    expect(stdout).toContain('Done.');
  });

  it('run without a prompt for --init-only, and may fail it', async () => {
    const hooks = { Setup: RECORD, SessionStart: `${RECORD}; [ ! -e broken ] || echo '{"continue":false}'` };
    const { run, sent, folder } = await project(settings(hooks), []);
    const { code, stdout } = await run(['--init-only']);
    expect([code, stdout, sent()]).toEqual([0, '', []]);
    expect(eventsIn(folder)).toMatchObject([
      { hook_event_name: 'Setup', trigger: 'init' },
      { hook_event_name: 'SessionStart', source: 'startup' },
    ]);
    writeFileSync(path.join(folder, 'broken'), '');
    expect((await run(['--init-only'])).code).toBe(1);
  });

  it('may add context to a command before it becomes its text, or block it', async () => {
    const added = JSON.stringify({
      hookSpecificOutput: { hookEventName: 'UserPromptExpansion', additionalContext: 'Mind the style.' },
    });
    const guard = `${RECORD}; if grep -q secret events; then echo "not this" >&2; exit 2; fi; echo '${added}'`;
    const { run, sent, folder } = await project(
      { ...settings({ UserPromptExpansion: guard }), '.claude/commands/fix.md': 'Fix $ARGUMENTS.' },
      [[say('Fixed.')], [say('Not a command.')]],
    );
    expect((await run(['-p', '/fix the bug'])).stdout).toBe('Fixed.\n');
    expect(sent()[0]).toContain('Mind the style.');
    await run(['-p', 'no command']);
    expect((await run(['-p', '/fix the secret'])).stdout).toContain('not this');
    expect(sent()).toHaveLength(2);
    expect(eventsIn(folder)).toMatchObject([
      {
        expansion_type: 'slash_command',
        command_name: 'fix',
        command_args: 'the bug',
        prompt: '/fix the bug',
      },
      { command_args: 'the secret' },
    ]);
  });

  it('may prevent another model, typed or set by a host', async () => {
    const deny = JSON.stringify({
      hookSpecificOutput: {
        hookEventName: 'PreModelSwitch',
        permissionDecision: 'deny',
        permissionDecisionReason: 'too dear',
      },
    });
    const { run, folder } = await project(
      settings({
        PreModelSwitch: `${RECORD}; grep -q '"rehearsal"' events && echo '${deny}'; true`,
        PostModelSwitch: RECORD,
      }),
      [],
    );
    const request = { subtype: 'set_model', model: 'rehearsal' };
    const flags = { subtype: 'apply_flag_settings', settings: { model: 'rehearsal' } };
    const lines = [
      { type: 'control_request', request_id: 'm', request },
      { type: 'control_request', request_id: 'n', request: flags },
      { type: 'user', message: { role: 'user', content: '/model rehearsal' } },
    ];
    const stream = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { stdout } = await run(stream, { input });
    expect(stdout.match(/A hook prevents this model: too dear/g)).toHaveLength(3);
    expect(eventsIn(folder)).toMatchObject([
      { hook_event_name: 'PreModelSwitch', to_model: 'rehearsal', source: 'host' },
      { hook_event_name: 'PreModelSwitch', to_model: 'rehearsal', source: 'host' },
      { hook_event_name: 'PreModelSwitch', to_model: 'rehearsal', source: 'command' },
    ]);
  });
});

describe('with hooks', () => {
  const question = { server: 'forms', message: 'Which color?' };
  const answer = (event: string, action: string, color: string): string =>
    `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, action, content: { color } } })}'`;

  it.each([
    ['none', {}, { action: 'accept', content: { color: 'blue' } }, 1],
    [
      'one that answers',
      { Elicitation: answer('Elicitation', 'accept', 'red') },
      { action: 'accept', content: { color: 'red' } },
      0,
    ],
    ['one that blocks the question', { Elicitation: 'exit 2' }, { action: 'decline' }, 0],
    [
      'one that changes the answer',
      { ElicitationResult: answer('ElicitationResult', 'accept', 'green') },
      { action: 'accept', content: { color: 'green' } },
      1,
    ],
    ['one that blocks the answer', { ElicitationResult: 'exit 2' }, { action: 'decline' }, 1],
  ])('%s, a question of a server is answered', async (_, hooks, expected, asked) => {
    let questions = 0;
    const elicit = elicitWithHooks(
      () => sessionHooks(hooks).hooks,
      () => {
        questions++;
        return Promise.resolve({ action: 'accept', content: { color: 'blue' } });
      },
    );
    expect(await elicit(question, AbortSignal.timeout(10_000))).toEqual(expected);
    expect(questions).toBe(asked);
  });

  it('an added folder is reported once', async () => {
    const rules = new LivePermissions(NO_RULES);
    const { hooks, folder } = sessionHooks({ DirectoryAdded: RECORD });
    const added = new AddedDirectories(rules);
    added.report(hooks);
    rules.apply([{ type: 'addDirectories', directories: ['/elsewhere'], destination: 'session' }]);
    added.report(hooks);
    added.report(hooks);
    await expect.poll(() => eventsIn(folder)).toMatchObject([{ path: '/elsewhere' }]);
    await hooks.end('other');
    expect(eventsIn(folder)).toHaveLength(1);
  });
});

function sessionHooks(hooks: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-hooks-'));
  const { hooks: read } = readHooks(declared(hooks), { source: 'a test' });
  const asked = () => Promise.reject(new Error('No model here.'));
  return {
    folder,
    hooks: new SessionHooks({
      declared: read.map((hook) => ({ hook, scope: 'user', inactive: undefined })),
      cwd: folder,
      source: 'startup',
      commonInput: () => ({}),
      instructionFiles: () => [],
      messages: () => [],
      notify: () => undefined,
      remark: () => undefined,
      beforePrompt: () => Promise.resolve(),
      askModel: asked,
      askAgent: asked,
      entitle: () => undefined,
    }),
  };
}
