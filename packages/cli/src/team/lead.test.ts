/** A session that leads a team, through the shipped program: on each surface, messages of members wake the idle lead. */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync, readlinkSync } from 'node:fs';
import { call, EVENT_DEADLINE_MS, type FakeApi, say, startFakeApi } from '@heddle/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const MODEL = 'claude-sonnet-4-5';

/** The lead creates a team and a task, waits, and ends the team when its member has answered and has no work left. */
function leadStep(text: string) {
  if (text.includes('"is_error":true')) return say('A call failed.');
  if (!text.includes('"tool_result"'))
    return call('ToolSearch', { query: 'select:TeamCreate,TeamDelete,TaskCreate' }, 'c0');
  if (!text.includes('The team crew has started'))
    return call('TeamCreate', { team_name: 'crew', description: 'Count.', members: ['ada'] }, 'c1');
  if (!text.includes('Task #1 created')) return call('TaskCreate', { subject: 'Answer' }, 'c2');
  if (!text.includes('Found 42.')) return say('I wait.');
  if (!text.includes('have no work left')) return say('Noted.');
  return text.includes('The team crew was removed') ? say('Finished: 42.') : call('TeamDelete', {}, 'c3');
}

interface Scene {
  readonly home: Home;
  readonly api: FakeApi;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function sceneWith(onMember: () => void = () => undefined): Promise<Scene> {
  const api = await startFakeApi(
    (body) => {
      const text = JSON.stringify(body);
      if (text.includes('Build it.')) return leadStep(text);
      onMember();
      if (text.includes('was sent to team-lead')) return say('Done.');
      return call('SendMessage', { to: 'team-lead', message: 'Found 42.' }, 'm1');
    },
    { models: [MODEL] },
  );
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
  return {
    api,
    env,
    home: homeFor(installed.program),
    flags: ['--model', `anthropic/${MODEL}`, '--allowed-tools=TeamCreate,TeamDelete'],
  };
}

function send(child: ChildProcess, line: string): void {
  child.stdin?.write(`${line}\n`);
}

const userLine = JSON.stringify({ type: 'user', message: { role: 'user', content: 'Build it.' } });

const ENDED = /Finished: 42\.|A call failed\./;

const SURFACES = {
  print: (scene: Scene) => scene.home.run(['-p', 'Build it.', ...scene.flags], { env: scene.env }),
  plain: ({ home, flags, env }: Scene) => {
    let isOver = false;
    return home.run(['--plain', ...flags], {
      env,
      input: null,
      onStart: (child) => send(child, 'Build it.'),
      onOutput(stdout, child) {
        if (isOver || !ENDED.test(stdout)) return;
        isOver = true;
        child.stdin?.end();
      },
    });
  },
  host: ({ home, flags, env }: Scene) =>
    home.run(
      ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', ...flags],
      {
        env,
        input: null,
        onStart: (child) => send(child, userLine),
        onOutput(stdout, child) {
          if (/"result":"(Finished|A call failed)/.test(stdout)) child.stdin?.end();
        },
      },
    ),
} as const;

it.each(['print', 'plain', 'host'] as const)(
  'on the surface %s, the lead reads the mail of its team and its end without a prompt',
  async (surface) => {
    const scene = await sceneWith();
    try {
      const ended = await SURFACES[surface](scene);
      expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Finished: 42.') });
      if (surface === 'print') expect(ended.stdout).toBe('Finished: 42.\n');
      scene.api.assertNoViolations();
      await expect.poll(() => processesIn(scene.home.folder), { timeout: EVENT_DEADLINE_MS }).toEqual([]);
    } finally {
      await scene.api.close();
    }
  },
);

it('a member finishes its task after the lead was killed, then ends, and the resumed lead reads its mail', async () => {
  let lead: ChildProcess | undefined;
  const scene = await sceneWith(() => lead?.kill('SIGKILL'));
  const { home, env, flags, api } = scene;
  try {
    const id = randomUUID();
    const killed = await home.run(['-p', 'Build it.', '--session-id', id, ...flags], {
      env,
      onStart: (child) => (lead = child),
    });
    expect(killed.signal).toBe('SIGKILL');
    await expect.poll(() => processesIn(home.folder), { timeout: EVENT_DEADLINE_MS }).toEqual([]);
    const [log = ''] = globSync(`${home.folder}/config/teams/crew/logs/ada.log`);
    expect(readFileSync(log, 'utf8')).toContain('ada: lead_ended');
    const { stdout } = await home.run(['team', 'list', 'crew'], { env });
    expect(stdout).toBe('#1 [completed] Answer (ada)\nMembers: none\n');

    const resumed = await home.run(['-p', 'Continue.', '--resume', id, ...flags], { env });
    expect(resumed).toMatchObject({ code: 0, stdout: 'Finished: 42.\n' });
    api.assertNoViolations();
  } finally {
    await api.close();
  }
});

/** The processes that work in a folder. */
function processesIn(folder: string): readonly string[] {
  return globSync('/proc/[0-9]*').filter((entry) => {
    try {
      return readlinkSync(`${entry}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}
