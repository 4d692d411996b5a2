/** Keys of the user: not in the environment of the program or its children, and not in what tools, logs and files say. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say, startFakeApi } from '@heddle/testing';
import { SECRET_VARIABLES } from '@heddle/models/environment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from './test/home.ts';
import { install, type Installed } from './test/program.ts';

const KEY = 'sk-test-4f9Zq1Kx7Lw2';
const MODEL = 'claude-sonnet-4-5';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

it('the launcher takes every variable out of the environment that holds a key', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../../bin/heddle'), 'utf8');
  const [, names = ''] = /for heddle_name in ([^;]+);/.exec(text) ?? [];
  expect(names.split(/[\s\\]+/).filter(Boolean)).toEqual([...SECRET_VARIABLES]);
});

/** Prints what of the environment and the open files of a process is worth seeing. */
const LOOK = [
  `echo "parent: $(tr '\\0' '\\n' < /proc/$PPID/environ | grep -c 4f9Zq1Kx7Lw2)"`,
  `for p in /proc/[0-9]*; do [ "$(cat $p/comm 2>/dev/null)" = node ] && grep -qa HEDDLE_CONFIG_DIR=$HEDDLE_CONFIG_DIR $p/environ 2>/dev/null && grep -qa 4f9Zq1Kx7Lw2 $p/environ && echo "found in $p"; done`,
  'echo "variables: $(env | grep -c 4f9Zq1Kx7Lw2)"',
  'echo end',
].join('; ');

/** Spellings of the key in output. */
const SPELLINGS = [
  'cat .env',
  `printf '%s\\n' sk-test-4f9Zq1Kx7Lw2`,
  `echo '{"key":"sk-test-4f9Zq1Kx7Lw2"}'`,
  'cat .env | base64',
  "printf 'x%s' sk-test-4f9Zq1Kx7Lw2 | base64",
  "printf 'xy%sz' sk-test-4f9Zq1Kx7Lw2 | base64",
  'printf %s sk-test-4f9Zq1Kx7Lw2 | od -An -v -tx1 | tr -d " \\n"',
  'cat .env >&2; exit 3',
  'for i in 1 2 3; do printf sk-test-4f9; printf Zq1Kx7Lw2; echo; done',
  'ls sk-test-4f9Zq1Kx7Lw2',
];

const HIDDEN = [
  KEY,
  ...['', 'x', 'xy'].map((before) => Buffer.from(`${before}${KEY}`).toString('base64').slice(4, 20)),
  Buffer.from(KEY).toString('hex'),
];

describe('a run with a key', () => {
  it('shows it nowhere: processes, results, session, debug log, recording', async () => {
    const home = homeFor(installed.program);
    const { folder } = home;
    writeFileSync(path.join(folder, '.env'), `KEY=${KEY}\n`);
    const calls = [LOOK, ...SPELLINGS].map((command, index) => [call('Bash', { command }, `b${index}`)]);
    const api = await startFakeApi(
      [
        ...calls,
        [call('Read', { file_path: '.env' }, 'r1')],
        [call('Grep', { pattern: 'KEY', path: '.env', output_mode: 'content' }, 'g1')],
        [call('Read', { file_path: `no-${KEY}` }, 'r2')],
        [say('Done.')],
      ],
      { models: [MODEL] },
    );
    try {
      const { stdout, stderr } = await home.run(
        [
          ...['-p', 'go', '--model', `anthropic/${MODEL}`, '--output-format', 'stream-json'],
          ...['--permission-mode', 'bypassPermissions', '--debug', '--record', 'rec.jsonl'],
        ],
        {
          env: {
            ANTHROPIC_API_KEY: KEY,
            ANTHROPIC_BASE_URL: api.url,
            OPENAI_API_KEY: KEY,
          },
        },
      );
      const sent = api.requests.filter(({ path: to }) => to === '/v1/messages');
      expect(sent).toHaveLength(calls.length + 4);
      expect(sent.at(-1)?.headers['x-api-key']).toBe(KEY);
      const last = JSON.stringify(sent.at(-1)?.body);
      expect(last).toContain('parent: 0\\nvariables: 0\\nend');
      expect(last.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(SPELLINGS.length);
      const files = filesBelow(path.join(folder, 'config')).concat(path.join(folder, 'rec.jsonl'));
      const texts = [stdout, stderr, ...files.map((file) => readFileSync(file, 'utf8'))];
      // The commands themselves hold it; what came of them must not.
      const results = texts.map((text) => text.replaceAll(/"command":"(?:[^"\\]|\\.)*"/g, '""'));
      const shown = last.replaceAll(/"command":"(?:[^"\\]|\\.)*"/g, '""').replaceAll(`no-${KEY}`, '');
      for (const secret of HIDDEN) expect(shown).not.toContain(secret);
      expect(results.filter((text) => text.includes('tool_result')).length).toBeGreaterThan(0);
      for (const text of results)
        for (const line of toolResults(text))
          expect(HIDDEN.some((secret) => line.includes(secret))).toBe(false);
    } finally {
      await api.close();
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

  it('takes keys of the settings out of commands, too', async () => {
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

  it('leaves words that only stand in for a key alone', async () => {
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

  it('keeps a key with several lines, quotes and a dollar sign as it is', async () => {
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

/** The lines of a log that hold a result of a tool. */
function toolResults(text: string): string[] {
  return text.split('\n').filter((line) => line.includes('tool_result') && !line.includes('"tool_use"'));
}
