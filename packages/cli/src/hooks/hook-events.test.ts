/** Events of hooks through the program: what each hook receives, and what its answer does. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say, type ScriptStep } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, linesOf } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const STREAM = ['--output-format', 'stream-json', '--verbose'];

/** A home whose settings have these hooks: by event, one command each. */
function home(hooks: Readonly<Record<string, string | object>>) {
  const scene = homeFor(installed.program);
  const declared = Object.entries(hooks).map(([event, hook]) => [
    event,
    [{ hooks: [typeof hook === 'string' ? { type: 'command', command: hook } : hook] }],
  ]);
  mkdirSync(path.join(scene.folder, 'config'));
  const settings = { hooks: Object.fromEntries(declared), permissions: { allow: ['Bash'] } };
  writeFileSync(path.join(scene.folder, 'config/settings.json'), JSON.stringify(settings));
  const file = (name: string): string => path.join(scene.folder, name);
  return {
    ...scene,
    file,
    /** Every event that a hook with `RECORD` received. */
    events: (): readonly Record<string, unknown>[] =>
      existsSync(file('events')) ? linesOf(readFileSync(file('events'), 'utf8')) : [],
    go: (steps: readonly ScriptStep[], ...flags: readonly string[]) =>
      scene.run(['-p', 'go', ...flags, '--model', scene.script(steps)]),
  };
}

const RECORD = 'cat >> "$CLAUDE_PROJECT_DIR/events"';
const bash = (command: string, id = 'b1') => call('Bash', { command }, id);

describe('hooks of the settings receive', () => {
  it('all calls of an answer, and may end the run before the next request', async () => {
    const { go, events } = home({ PostToolBatch: `${RECORD}; echo enough >&2; exit 2` });
    const { stdout } = await go([bash('echo one'), say('Not reached.')], ...STREAM);
    expect(events()).toMatchObject([
      {
        hook_event_name: 'PostToolBatch',
        tool_calls: [{ tool_name: 'Bash', tool_input: { command: 'echo one' }, tool_use_id: 'b1' }],
      },
    ]);
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'result', terminal_reason: 'hook_stopped' });
    expect(stdout).not.toContain('Not reached.');
  });

  it('a denial with its reason', async () => {
    const { go, events } = home({ PermissionDenied: RECORD });
    await go([bash('ls'), say('Done.')], '--disallowed-tools', 'Bash(ls)');
    expect(events()).toMatchObject([
      { hook_event_name: 'PermissionDenied', tool_name: 'Bash', reason: expect.stringContaining('Bash(ls)') },
    ]);
  });

  it('a changed folder and set variables for later commands', async () => {
    // The hook itself runs in the folder of the start.
    const enter = String.raw`cd "$(tail -n 1 events | sed 's/.*"new_cwd":"\([^"]*\)".*/\1/')"`;
    const { go, events, file } = home({
      SessionStart: 'echo \'export FROM_START="a b"\' >> "$CLAUDE_ENV_FILE"',
      CwdChanged: `${RECORD}; ${enter}; echo "export WHERE='$PWD':\\"\\$FROM_START\\"" >> "$CLAUDE_ENV_FILE"; touch "$CLAUDE_PROJECT_DIR/told"`,
    });
    mkdirSync(file('sub'));
    const wait = `until [ -e ${file('told')} ]; do sleep 0.02; done`;
    const steps = [
      bash('cd sub'),
      bash(wait, 'b2'),
      bash('sleep 0.2', 'b3'),
      bash('echo "$WHERE" > where', 'b4'),
    ];
    await go([...steps, say('Done.')]);
    const [event] = events();
    expect(event).toMatchObject({ hook_event_name: 'CwdChanged', new_cwd: expect.stringMatching(/sub$/) });
    expect(readFileSync(file('sub/where'), 'utf8')).toMatch(/\/sub:a b\n$/);
  });

  it('a file that changed on disk', async () => {
    const { go, events, file } = home({ FileChanged: RECORD });
    writeFileSync(file('notes.txt'), 'one\n');
    const read = call('Read', { file_path: file('notes.txt') }, 'r1');
    await go([read, bash('echo two >> notes.txt', 'b2'), bash('sleep 0.2', 'b3'), say('Done.')]);
    expect(events()).toMatchObject([{ hook_event_name: 'FileChanged', file_path: file('notes.txt') }]);
  });

  it('the instruction files of the session', async () => {
    const { go, events, file } = home({ InstructionsLoaded: RECORD, SessionStart: 'sleep 0.2' });
    writeFileSync(file('CLAUDE.md'), 'Be brief.');
    await go([say('Done.')]);
    expect(events()).toMatchObject([
      { hook_event_name: 'InstructionsLoaded', file_path: file('CLAUDE.md'), load_reason: 'session_start' },
    ]);
  });

  it('a compaction, and add context after it', async () => {
    const { run, script, events } = home({
      PreCompact: RECORD,
      PostCompact: RECORD,
      SessionStart: `${RECORD}; echo remember the milk`,
    });
    const steps = [say('First.'), say('<summary>Short.</summary>'), say('Second.')];
    const { stdout } = await run(['--plain', '--model', script(steps)], {
      input: 'hello\n/compact\nagain\n',
    });
    expect(stdout).toContain('First.');
    const [start, before, ...after] = events();
    expect([start, before]).toMatchObject([
      { hook_event_name: 'SessionStart', source: 'startup' },
      { hook_event_name: 'PreCompact', trigger: 'manual' },
    ]);
    // The conversation does not wait for the first of these, so they run at the same time.
    const nameOf = ({ hook_event_name: name }: Readonly<Record<string, unknown>>): string => String(name);
    expect(after.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)))).toMatchObject([
      { hook_event_name: 'PostCompact', trigger: 'manual' },
      { hook_event_name: 'SessionStart', source: 'compact' },
    ]);
  });
});

describe('a host', () => {
  it('reads the start, the output and the end of each hook', async () => {
    const { go } = home({ PreToolUse: 'echo "{}"', SessionStart: 'true' });
    const lines = linesOf((await go([bash('ls'), say('Done.')], ...STREAM)).stdout);
    const named = (lines: readonly Record<string, unknown>[]) =>
      lines
        .filter(({ subtype }) => String(subtype).startsWith('hook_'))
        .map(({ subtype, hook_name }) => [subtype, hook_name]);
    expect(named(lines)).toEqual([
      ['hook_started', 'SessionStart:startup'],
      ['hook_response', 'SessionStart:startup'],
    ]);
    const all = linesOf((await go([bash('ls'), say('Done.')], ...STREAM, '--include-hook-events')).stdout);
    expect(named(all).slice(2)).toEqual([
      ['hook_started', 'PreToolUse:Bash'],
      ['hook_progress', 'PreToolUse:Bash'],
      ['hook_response', 'PreToolUse:Bash'],
    ]);
    expect(all.findLast(({ subtype }) => subtype === 'hook_response')).toMatchObject({
      stdout: '{}\n',
      exit_code: 0,
      outcome: 'success',
    });
  });

  it('that reads slowly gets the output of a hook that floods, without a warning', async () => {
    const { go } = home({ SessionStart: 'yes flood | head -c 20000000; exit 3' });
    const { stdout, stderr } = await go([say('Done.')], ...STREAM, '--include-hook-events');
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'result', result: 'Done.' });
    expect(stderr.split('\n').filter((line) => line !== '')).toEqual([
      expect.stringContaining('A SessionStart hook failed'),
    ]);
  });
});
