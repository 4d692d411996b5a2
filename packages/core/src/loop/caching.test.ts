/** The share of a session's input that is read from the cache, with the real loop and the rules of the API. */
import {
  sessionCacheCost,
  breakOff,
  call,
  createRandom,
  fakeTool,
  type ScriptPart,
  type RequestBody,
  say,
  type Script,
  type ScriptStep,
} from '@heddle/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { play } from './test/play.ts';

interface Session {
  readonly name: string;
  readonly turns: number;
  readonly calls: number;
  /** The connection breaks once in this many attempts, before or during the answer. 0: never. */
  readonly breaksEvery?: number;
  /** The server did not store the request of a broken connection. */
  readonly breaksUnseen?: true;
}

const SESSIONS: readonly Session[] = [
  { name: '50 turns', turns: 50, calls: 1 },
  { name: '200 turns', turns: 200, calls: 1 },
  { name: '20 turns of 12 calls', turns: 20, calls: 12 },
  { name: '20 turns of 12 calls, every third attempt breaks', turns: 20, calls: 12, breaksEvery: 3 },
  {
    name: '20 turns of 12 calls, every third never arrives',
    turns: 20,
    calls: 12,
    breaksEvery: 3,
    breaksUnseen: true,
  },
];

/** Checking every request would take longer than the session itself, so one request of each kind is checked. */
const JUDGED_UP_TO = 50;

/** The tolerance is half a percentage point. */
const ALLOWED = 0.005;

const rows: string[] = [];
afterAll(() => console.log([HEADING, ...rows].join('\n')));

describe('the share of input that is read from the cache', () => {
  it.each(SESSIONS)('is the best possible: $name', async (session) => {
    const bodies = await bodiesOf(session);
    const { share, bestShare } = sessionCacheCost(bodies);
    const alone = sessionCacheCost(bodies.map(withOneMark)).share;
    rows.push(
      [session.name.padEnd(52), ...[share, bestShare, alone].map((one) => one.toFixed(4))].join('  '),
    );
    expect(bodies.length).toBeGreaterThan(session.turns);
    expect(bestShare - share).toBeLessThanOrEqual(ALLOWED);
  });
});

const HEADING = `${''.padEnd(52)}  share   best    with a mark at the end alone`;

async function bodiesOf(session: Session): Promise<RequestBody[]> {
  const random = createRandom(7);
  const words = (count: number) => Array.from({ length: count }, () => wordOf(random)).join(' ');
  const tools = ['Read', 'Grep', 'Bash', 'Edit'].map((name) =>
    fakeTool({
      name,
      description: words(120),
      run: () => words(20 + Math.floor(random() ** 3 * 800)),
    }),
  );
  const { model, terminal } = await play(scriptOf(session, words), {
    tools,
    params: { systemPrompt: [words(1_500)], userContext: { project: words(200) } },
    config: { gates: { repetition: false } },
    judge: { validate: session.turns <= JUDGED_UP_TO },
  });
  expect(terminal).toEqual({ reason: 'completed' });
  const seen = session.breaksUnseen ? model.calls.filter(({ ended }) => ended === 'done') : model.calls;
  return seen.map((call) => call.body());
}

function scriptOf({ turns, calls, breaksEvery = 0 }: Session, words: (count: number) => string): Script {
  let turn = 0;
  return (_request, attempt): ScriptStep => {
    if (breaksEvery > 0 && attempt % breaksEvery === 0)
      return attempt % 2 === 0 ? breakOff() : [say(words(10)), breakOff()];
    if (turn++ === turns) return say('Done.');
    const parts: ScriptPart[] = [say(words(30))];
    for (let count = 0; count < calls; count++)
      parts.push(call(['Read', 'Grep'][count % 2] ?? 'Read', { path: words(2) }, `c${turn}_${count}`));
    return parts;
  };
}

function wordOf(random: () => number): string {
  return Math.floor(random() * 1e9).toString(36);
}

/** The same request with the common marks: on tools, on the system prompt and at the end of the conversation. */
function withOneMark(body: RequestBody): RequestBody {
  const messages: unknown = structuredClone(body['messages']);
  const marked: { cache_control?: unknown }[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('cache_control' in value) marked.push(value);
    for (const inner of Object.values(value)) collect(inner);
  };
  collect(messages);
  for (const block of marked.slice(0, -1)) delete block.cache_control;
  return { ...body, messages };
}
