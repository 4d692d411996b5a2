/** The routes of the gateway: schemas, rights and handlers in one table. The OpenAPI description is generated from it. */
import { z } from 'zod';
import type { Seen, TurnState } from '../client.ts';
import type { Right } from '../tokens.ts';
import type { TenantView } from './tenant-view.ts';

/** The reply of a handler. A stream is sent as server-sent events. */
type RouteReply =
  | { readonly status: number; readonly body: unknown }
  | { readonly stream: AsyncGenerator<Seen>; readonly end: () => Promise<TurnState | undefined> };

interface RouteInput {
  readonly view: TenantView;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  /** The label of the token. */
  readonly by: string;
  /** The number after which a broken stream continues. */
  readonly lastEventId: number | undefined;
  readonly signal: AbortSignal;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** With parameters in braces, such as `/v1/sessions/{session}`. */
  readonly path: string;
  readonly right: Right;
  readonly summary: string;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  readonly reply: z.ZodType;
  readonly status: number;
  readonly isStream: boolean;
  /** The query and the body were checked against the schemas. */
  readonly run: (input: RouteInput) => Promise<RouteReply>;
}

export const sessionName = z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/);
const MAX_PROMPT = 500_000;
const MAX_PAGE = 1_000;
const MAX_TURNS = 100;

const state = z.enum(['waiting', 'queued', 'running', 'parked', 'done']);
const session = z.strictObject({
  name: z.string(),
  state: z.enum(['idle', 'waiting', 'queued', 'running', 'parked']),
  turns: z.int(),
  entries: z.int(),
  spentUsd: z.number(),
});
const turn = z.strictObject({
  n: z.int(),
  state,
  by: z.string().nullable(),
  created: z.iso.datetime(),
  started: z.iso.datetime().nullable(),
  ended: z.iso.datetime().nullable(),
  result: z.unknown(),
});
const line = z.strictObject({
  seq: z.int(),
  turn: z.int(),
  kind: z.string(),
  /** The subagent that the line belongs to. */
  agent: z.string().nullable(),
  line: z.unknown(),
});
const question = z.strictObject({
  id: z.string(),
  session: z.string(),
  turn: z.int(),
  tool: z.string(),
  input: z.unknown(),
  reason: z.string(),
  /** The folder of the call on its worker. */
  workingDirectory: z.string().optional(),
  /** The files that the call uses, as written and with links resolved. */
  places: z
    .array(z.strictObject({ path: z.string(), real: z.string() }))
    .readonly()
    .optional(),
});
/** The columns are of the type int4. */
const MAX_NUMBER = 2_147_483_647;
const number = z.coerce.number().int().nonnegative().max(MAX_NUMBER);

const submitBody = z.strictObject({
  prompt: z.string().min(1).max(MAX_PROMPT),
  key: z
    .string()
    .min(1)
    .max(200)
    .refine((key) => !key.includes('\0'), 'A key must not contain NUL.')
    .optional()
    .describe('The same key names the same turn.'),
});
const answerBody = z.strictObject({
  answer: z.enum(['allow', 'deny']),
  message: z.string().max(10_000).optional().describe('A reason for the model.'),
});
const limit = number.min(1).max(MAX_PAGE).default(MAX_PAGE);
const sessionsQuery = z.strictObject({
  after: sessionName.optional().describe('The last name of the page before.'),
  limit,
});
const questionsQuery = z.strictObject({
  after: z.string().min(1).max(200).optional().describe('The last id of the page before.'),
  limit,
});
const linesQuery = z.strictObject({
  after: number.default(0),
  limit,
});
const eventsQuery = z.strictObject({
  after: number.default(0),
  untilTurn: number.min(1).optional().describe('The stream ends after the last line of this turn.'),
});

const NOT_FOUND: RouteReply = { status: 404, body: problem('There is no such session or turn.') };

export function problem(message: string): { error: { message: string } } {
  return { error: { message } };
}

const base = { query: undefined, body: undefined, status: 200, isStream: false } as const;

export const ROUTES: readonly Route[] = [
  {
    ...base,
    method: 'GET',
    path: '/v1/sessions',
    right: 'watch',
    summary: 'Lists the sessions of the tenant, the oldest first.',
    query: sessionsQuery,
    reply: z.array(session),
    async run({ view, query }) {
      const sessions = await view.sessions(sessionsQuery.parse(query));
      return sessions ? ok(sessions) : NOT_FOUND;
    },
  },
  {
    ...base,
    method: 'GET',
    path: '/v1/sessions/{session}',
    right: 'watch',
    summary: 'Shows a session with its last turns.',
    reply: z.strictObject({ session, turns: z.array(turn) }),
    async run({ view, params: { session: name = '' } }) {
      const found = await view.session(name);
      const turns = await view.turns(name, MAX_TURNS);
      return found && turns ? ok({ session: found, turns: turns.map(turnBody) }) : NOT_FOUND;
    },
  },
  {
    ...base,
    method: 'POST',
    path: '/v1/sessions/{session}/turns',
    right: 'submit',
    summary: 'Submits a prompt. A new name creates a session.',
    body: submitBody,
    status: 202,
    reply: z.strictObject({ session: z.string(), turn: z.int() }),
    async run({ view, params: { session: name = '' }, body, by }) {
      const { prompt, key } = submitBody.parse(body);
      return { status: 202, body: { session: name, turn: await view.submit(name, prompt, { key, by }) } };
    },
  },
  {
    ...base,
    method: 'GET',
    path: '/v1/sessions/{session}/turns/{turn}',
    right: 'watch',
    summary: 'Shows a turn, with its result if it has ended.',
    reply: turn,
    async run({ view, params: { session: name = '', turn: n = '' } }) {
      const found = await view.turn(name, turnNumber(n));
      return found ? ok(turnBody(found)) : NOT_FOUND;
    },
  },
  {
    ...base,
    method: 'GET',
    path: '/v1/sessions/{session}/lines',
    right: 'watch',
    summary: 'Returns stored lines after a number.',
    query: linesQuery,
    reply: z.array(line),
    async run({ view, params: { session: name = '' }, query }) {
      const { after, limit } = linesQuery.parse(query);
      const lines = await view.lines(name, after, limit);
      return lines ? ok(lines.map(lineBody)) : NOT_FOUND;
    },
  },
  {
    ...base,
    method: 'GET',
    path: '/v1/sessions/{session}/events',
    right: 'watch',
    summary: 'Streams stored lines as server-sent events. `Last-Event-ID` continues a broken stream.',
    query: eventsQuery,
    reply: line,
    isStream: true,
    async run({ view, params: { session: name = '' }, query, lastEventId, signal }) {
      const { after, untilTurn } = eventsQuery.parse(query);
      const stream = await view.watch(name, { after: lastEventId ?? after, untilTurn, signal });
      if (!stream) return NOT_FOUND;
      return { stream, end: async () => (untilTurn ? view.turn(name, untilTurn) : undefined) };
    },
  },
  {
    ...base,
    method: 'POST',
    path: '/v1/sessions/{session}/cancel',
    right: 'cancel',
    summary: 'Cancels the open turn of a session.',
    reply: z.strictObject({ canceled: z.boolean() }),
    async run({ view, params: { session: name = '' } }) {
      const canceled = await view.cancel(name);
      return canceled === undefined ? NOT_FOUND : ok({ canceled });
    },
  },
  {
    ...base,
    method: 'GET',
    path: '/v1/questions',
    right: 'answer',
    summary: 'Lists the open permission questions of the tenant, the oldest first.',
    query: questionsQuery,
    reply: z.array(question),
    run: async ({ view, query }) => ok(await view.questions(questionsQuery.parse(query))),
  },
  {
    ...base,
    method: 'POST',
    path: '/v1/questions/{question}/answer',
    right: 'answer',
    summary: 'Answers a permission question. The first answer counts.',
    body: answerBody,
    reply: z.strictObject({ stored: z.literal(true) }),
    async run({ view, params: { question: id = '' }, body, by }) {
      const { answer, message } = answerBody.parse(body);
      if (await view.answer(id, { allow: answer === 'allow', message, by })) return ok({ stored: true });
      return { status: 404, body: problem('The question is not open.') };
    },
  },
];

function ok(body: unknown): RouteReply {
  return { status: 200, body };
}

function turnNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

export function turnBody({ n, state: now, by, created, started, ended, result }: TurnState): object {
  return { n, state: now, by, created, started, ended, result };
}

export function lineBody({ seq, turn: n, kind, agent, line: text }: Seen): object {
  const value: unknown = JSON.parse(text);
  return { seq, turn: n, kind, agent, line: value };
}
