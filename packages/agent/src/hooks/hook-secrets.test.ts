/** Known secrets in the output of hooks reach neither observers, nor the user, nor the model. */
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Secrets } from '@heddle/models/secrets';
import { expect, it } from 'vitest';
import { readHooks } from './definition.ts';
import type { HookEventName } from './events.ts';
import { describeFailures, type HookProgress, HookRunner, type HookRunnerDeps } from './hook-runner.ts';

const KEY = 'sk-test-4f9c2d7a1b3e';
const BASE64 = Buffer.from(KEY).toString('base64').slice(0, 24);
const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-hook-secrets-'));

/** Runs one hook. The key is in `$K`, and in no text of the hook itself. */
async function runHook(event: HookEventName, handler: object, deps: Partial<HookRunnerDeps> = {}) {
  const { hooks } = readHooks({ [event]: [{ hooks: [handler] }] }, { source: 'test settings' });
  const secrets = new Secrets();
  secrets.add(KEY);
  const observed: HookProgress[] = [];
  const others: unknown[] = [];
  const runner = new HookRunner(hooks, {
    commonInput: () => ({}),
    cwd: () => folder,
    projectDir: folder,
    variableFolder: path.join(folder, 'own'),
    environment: () => ({ PATH: process.env['PATH'], K: KEY }),
    matchesRule: () => true,
    handlers: {},
    fetch,
    secrets,
    observe: (progress) => void observed.push(progress),
    onFailure: (message) => void others.push(message),
    onBackground: (_, outcome) => void others.push(outcome),
    onVariables: () => undefined,
    ...deps,
  });
  const response = await runner.run({ event, input: { tool_name: 'Bash' } });
  await runner.close(5_000);
  return { response, observed, others, progress: progressIn(observed) };
}

function progressIn(observed: readonly HookProgress[]): string {
  return observed.map((event) => (event.type === 'hook_output' ? event.text : '')).join('');
}

const command = (text: string, more: object = {}) => ({ type: 'command', command: text, ...more });

it.each<[name: string, event: HookEventName, script: string, more?: object]>([
  ['text for the model', 'SessionStart', 'echo "key $K"; printf %s "$K" | base64'],
  ['a denial on standard error', 'PreToolUse', 'echo "no: $K" >&2; exit 2'],
  ['a failure', 'PostToolUse', 'echo "no: $K" >&2; exit 1'],
  ['a failure that cuts the key', 'PostToolUse', `printf '%0285d%s' 0 "$K" >&2; exit 1`],
  ['context that cuts the key', 'SessionStart', `printf '%09990d%s' 0 "$K"`],
  ['a message', 'Stop', `printf '{"systemMessage":"%s"}' "$K"`],
  ['a message with escapes', 'Stop', String.raw`printf '{"systemMessage":"\\u0073%s"}' "${'${K#s}'}"`],
  ['an unknown decision', 'PreToolUse', `printf '{"decision":"%s"}' "$K"`],
  ['a title', 'SessionStart', `printf '{"hookSpecificOutput":{"sessionTitle":"%s"}}' "$K"`],
  ['a changed result', 'PostToolUse', `printf '{"hookSpecificOutput":{"updatedToolOutput":["%s"]}}' "$K"`],
  ['unreadable variables', 'SessionStart', `echo 'echo "$K" >&2; exit 3' > "$HEDDLE_ENV_FILE"`],
  ['an answer in the background', 'PostToolUse', 'echo "no: $K" >&2; exit 2', { async: true }],
  ['a detached command', 'PostToolUse', `echo '{"async":true}'; sleep 0.1; echo "$K"; echo "$K" >&2; exit 2`],
  ['a failed command that contains the key', 'Stop', `: ${KEY}; exit 1`],
  ['a blocking command that contains the key', 'Stop', `: ${KEY}; exit 2`],
])('redacts %s', async (_, event, script, more) => {
  const { response, observed, others } = await runHook(event, command(script, more));
  const shown = JSON.stringify([response, describeFailures(response), observed, others]);
  expect(shown).toContain('[redacted]');
  for (const secret of [KEY, BASE64, KEY.slice(0, 12)]) expect(shown).not.toContain(secret);
});

it('redacts the answer of a server and of a handler that throws', async () => {
  const handler = { type: 'mcp_tool', server: 's', tool: 't' };
  const answers: NonNullable<HookRunnerDeps['handlers']['mcp_tool']>[] = [
    async () => ({ kind: 'exited', code: 0, stdout: `key ${KEY}`, stderr: '' }),
    async () => ({ kind: 'returned', output: { systemMessage: KEY } }),
    () => Promise.reject(new Error(`no: ${KEY}`)),
  ];
  for (const answer of answers) {
    const { response, observed } = await runHook('SessionStart', handler, { handlers: { mcp_tool: answer } });
    expect(JSON.stringify([response, observed])).toContain('[redacted]');
    expect(JSON.stringify([response, observed])).not.toContain(KEY);
  }
});

it('redacts a key that arrives in two chunks', async () => {
  const script = 'printf "a sk-test-4f9c"; sleep 0.2; printf "2d7a1b3e b\\n"; printf sk-test; sleep 0.1';
  const { progress, response } = await runHook('SessionStart', command(script));
  expect(progress).toBe('a [redacted] b\nsk-test');
  expect(response.context).toBe('a [redacted] b\nsk-test');
});

it('reports the last output before the end, also of a detached command', async () => {
  const script = `echo '{"async":true}'; sleep 0.1; printf sk-te`;
  const { observed, progress } = await runHook('PostToolUse', command(script));
  expect(progress).toBe('{"async":true}\nsk-te');
  expect(observed.at(-1)?.type).toBe('hook_finished');
});

it('reports characters that arrive in two chunks', async () => {
  const script = String.raw`printf 'a\303'; sleep 0.2; printf '\251'`;
  expect((await runHook('SessionStart', command(script))).progress).toBe('aé');
});

it('keeps the key in an input that a hook changes, but does not show it', async () => {
  const output = '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"%s"}}}';
  const { response, observed } = await runHook('PreToolUse', command(`printf '${output}' "$K"`));
  expect(response).toMatchObject({ decision: 'allow', updatedInput: { command: KEY } });
  expect(JSON.stringify(observed)).not.toContain(KEY);
});
