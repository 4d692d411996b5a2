/** Keys of the user do not appear in the environment of processes, in results, in logs or in files. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say, startFakeApi } from '@heddle/testing';
import { SECRET_VARIABLES } from '@heddle/models/environment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET_VARIABLES } from './keys.ts';
import { homeFor } from './test/home.ts';
import { install, type Installed } from './test/program.ts';

/** Unique for each run, because all processes of the machine are searched for it. */
const CORE = randomBytes(8).toString('hex');
const KEY = `sk-test-4f9${CORE}`;
/** Matches the key, and not a command that contains this pattern. */
const PATTERN = `[${CORE.slice(0, 1)}]${CORE.slice(1)}`;
const MODEL = 'claude-sonnet-4-5';

const RUN = ['-p', 'go', '--model', `anthropic/${MODEL}`, '--output-format', 'stream-json'];
const WATCHED = ['--permission-mode', 'bypassPermissions', '--debug', '--record', 'rec.jsonl'];

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

it('the launcher removes every variable with a key from the environment', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../../bin/heddle'), 'utf8');
  const [, names = ''] = /for heddle_name in ([^;]+);/.exec(text) ?? [];
  expect(names.split(/[\s\\]+/).filter(Boolean)).toEqual([...SECRET_VARIABLES, '${heddle_login-}']);
  expect(text).toContain(`[ "\${1-}" = fleet ] && heddle_login='${FLEET_VARIABLES.join(' ')}'`);
});

/** Searches for the key in every process of the user, and in its own variables. */
const LOOK = [
  `echo "processes: $(grep -lsa '${PATTERN}' /proc/[0-9]*/environ | wc -l)"`,
  `echo "variables: $(env | grep -c '${PATTERN}')"`,
  `ps eww | grep -c '${PATTERN}'`,
].join('; ');

/** Commands that print the key. Only the file contains them. */
const PRINTING = [
  'cat .env',
  'cat .env | rev | rev',
  `echo "{\\"key\\":\\"$K\\"}"`,
  'cat .env | base64',
  'printf "x%s" "$K" | base64',
  'printf "xy%sz" "$K" | base64',
  'printf %s "$K" | od -An -v -tx1 | tr -d " \\n"; echo',
  'for i in 1 2 3; do printf sk-test-4f9; printf %s "${K#sk-test-4f9}"; echo; done',
  'cat .env >&2',
  'ls "$K"',
];

const HIDDEN = [
  KEY,
  ...['', 'x', 'xy'].map((before) => Buffer.from(`${before}${KEY}`).toString('base64').slice(4, 20)),
  Buffer.from(KEY).toString('hex'),
];

describe('a run with a key', () => {
  it('does not show it in processes, results, the session, the debug log or a recording', async () => {
    const home = homeFor(installed.program);
    const { folder } = home;
    writeFileSync(path.join(folder, '.env'), `KEY=${KEY}\n`);
    const all = `K=$(cut -d= -f2 .env); ${PRINTING.join('; ')}`;
    const steps = [
      [call('Bash', { command: LOOK }, 'b1')],
      [call('Bash', { command: all }, 'b2')],
      [call('Read', { file_path: '.env' }, 'r1')],
      [call('Grep', { pattern: 'KEY', path: '.env', output_mode: 'content' }, 'g1')],
      [say('Done.')],
    ];
    const api = await startFakeApi(steps, { models: [MODEL] });
    try {
      const { stdout, stderr } = await home.run([...RUN, ...WATCHED], {
        env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url, OPENAI_API_KEY: KEY },
      });
      const sent = api.requests.filter(({ path: to }) => to === '/v1/messages');
      expect(sent).toHaveLength(steps.length);
      expect(sent.at(-1)?.headers['x-api-key']).toBe(KEY);
      const last = JSON.stringify(sent.at(-1)?.body);
      expect(last).toContain('processes: 0\\nvariables: 0\\n0');
      expect(last.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(PRINTING.length + 2);
      const files = filesBelow(path.join(folder, 'config')).concat(path.join(folder, 'rec.jsonl'));
      expect(files.length).toBeGreaterThan(1);
      for (const text of [last, stdout, stderr, ...files.map((file) => readFileSync(file, 'utf8'))])
        for (const secret of HIDDEN) expect(text).not.toContain(secret);
    } finally {
      await api.close();
    }
  });

  it('does not show it in lines and messages about hooks', async () => {
    const home = homeFor(installed.program);
    writeFileSync(path.join(home.folder, '.env'), KEY);
    const on = (command: string) => [{ hooks: [{ type: 'command', command }] }];
    const changed = '{"hookSpecificOutput":{"updatedInput":{"command":"%s"}},"systemMessage":"%s"}';
    const hooks = {
      SessionStart: on('cat .env; cat .env | base64; head -c 9 .env; sleep 0.2; tail -c +10 .env'),
      PreToolUse: on('cat .env >&2; exit 2'),
      PermissionDenied: on(`printf '{"systemMessage":"%s"}' "$(cat .env)"`),
      PostToolUseFailure: on('cat .env >&2; exit 1'),
      PermissionRequest: on(`printf '${changed}' "$(cat .env)" "$(cat .env)"`),
      Stop: on(`printf '{"systemMessage":"%s"}' "$(cat .env)"`),
    };
    const settings = JSON.stringify({ hooks, env: { XAI_API_KEY: KEY } });
    const steps = [[call('Bash', { command: 'ls' }, 'b1')], [say('Done.')]];
    const run = ['-p', 'go', '--settings', settings, '--model', home.script(steps)];
    const runs = [
      [...run, '--output-format', 'stream-json', '--include-hook-events'],
      run,
      ...Object.keys(hooks).flatMap((event) => [
        ['hooks', 'test', event, '--settings', settings],
        ['hooks', 'test', event, '--settings', settings, '--json'],
      ]),
    ];
    for (const argv of runs) {
      const { stdout, stderr } = await home.run(argv);
      expect(stdout + stderr).toContain('[redacted]');
      for (const secret of HIDDEN) expect(stdout + stderr).not.toContain(secret);
    }
  });

  it('gives a key to commands only if the user names it, and other variables always', async () => {
    const { run, script } = homeFor(installed.program);
    const command = 'echo "${#GROQ_API_KEY} ${#OPENAI_API_KEY} ${#COPY} $GITHUB_TOKEN $AWS_ACCESS_KEY_ID"';
    const flags = ['-p', 'go', '--output-format', 'stream-json', '--allowed-tools', 'Bash'];
    const { stdout } = await run(
      [...flags, '--model', script([[call('Bash', { command }, 'b1')], [say('Done.')]])],
      {
        env: {
          GROQ_API_KEY: 'gsk-1234567890',
          OPENAI_API_KEY: 'sk-0987654321',
          COPY: 'Bearer sk-0987654321',
          HEDDLE_PASS_KEYS: 'GROQ_API_KEY',
          GITHUB_TOKEN: 'ghp-mine',
          AWS_ACCESS_KEY_ID: 'AKIA-mine',
        },
      },
    );
    expect(stdout).toContain('14 0 0 ghp-mine AKIA-mine');
  });

  it('also removes keys of the settings from the environment of commands', async () => {
    const { run, script, folder } = homeFor(installed.program);
    mkdirSync(path.join(folder, 'config'));
    writeFileSync(
      path.join(folder, 'config/settings.json'),
      JSON.stringify({ env: { XAI_API_KEY: KEY, PLAIN: 'yes' } }),
    );
    const command = 'echo "[$XAI_API_KEY] $PLAIN"; env | grep -c XAI; true';
    const flags = ['-p', 'go', '--output-format', 'stream-json', '--allowed-tools', 'Bash'];
    const { stdout } = await run([
      ...flags,
      '--model',
      script([[call('Bash', { command }, 'b1')], [say('Done.')]]),
    ]);
    expect(stdout).toContain('[] yes\\n0');
  });

  it('does not redact placeholders for a key', async () => {
    const { run, script } = homeFor(installed.program);
    const flags = ['-p', 'go', '--output-format', 'stream-json', '--allowed-tools', 'Bash'];
    const steps = [
      [call('Bash', { command: 'echo ollama lm-studio not-needed; ls / | head -1' }, 'b1')],
      [say('Done.')],
    ];
    const { stdout } = await run([...flags, '--model', script(steps)], {
      env: { OLLAMA_API_KEY: 'ollama', LMSTUDIO_API_KEY: 'lm-studio', VLLM_API_KEY: 'not-needed' },
    });
    expect(stdout).toContain('ollama lm-studio not-needed');
  });

  it('keeps a key with several lines, quotes and a dollar sign unchanged', async () => {
    const { run, folder } = homeFor(installed.program);
    const key = 'first$HOME`x`"y"\nOTHER=second\\';
    const { stdout } = await run(['models', 'groq', '--json'], { env: { GROQ_API_KEY: key, name: 'mine' } });
    expect(stdout).toContain('GROQ_API_KEY');
    expect(existsSync(path.join(folder, 'x'))).toBe(false);
    const printed = execFileSync('sh', ['-c', `${installed.program} --version`], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder, GROQ_API_KEY: key },
    });
    expect(printed).toContain('(Heddle)');
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => path.join(entry.parentPath, entry.name));
}
