/** Plays a script through the public `query` and returns the results. Every request is checked against the rules of the API. */
import {
  query,
  type AuthorizeCall,
  type LoopEvent,
  type Message,
  type ModelPort,
  type QueryDeps,
  type QueryParams,
  type Terminal,
  type Tool,
} from '../../index.ts';
import {
  allowAll,
  contextOf,
  createClock,
  fakeDeps,
  scriptedModel,
  type JudgeOptions,
  type Script,
  type ScriptedModel,
  type VirtualClock,
} from '@heddle/testing';
import { linesOf } from './notation.ts';

export interface PlayOptions {
  readonly prompt?: string;
  /** The conversation instead of one prompt. */
  readonly messages?: readonly Message[];
  readonly tools?: readonly Tool[];
  readonly authorizeCall?: AuthorizeCall;
  readonly params?: Partial<QueryParams>;
  readonly config?: Omit<QueryParams['config'], 'sessionId'>;
  readonly deps?: Partial<Omit<QueryDeps, 'model' | 'clock'>>;
  /** Shared with tools that take time. It advances automatically by default. */
  readonly clock?: VirtualClock;
  readonly judge?: JudgeOptions;
  /** A port instead of the script's own. */
  readonly port?: ModelPort;
  readonly agentId?: string;
  readonly controller?: AbortController;
  /** Called with every event before the next one is asked for. */
  readonly onEvent?: (event: LoopEvent, line: string) => Promise<void> | void;
}

export interface Played {
  readonly events: readonly LoopEvent[];
  /** One line per event. */
  readonly lines: readonly string[];
  readonly terminal: Terminal;
  /** The requests, one line each, without cache marks. */
  readonly requests: readonly string[];
  readonly model: ScriptedModel;
  /** How long the run took, in milliseconds of the virtual clock. */
  readonly took: number;
}

export interface Stage {
  readonly run: AsyncGenerator<LoopEvent, Terminal>;
  readonly model: ScriptedModel;
  readonly clock: VirtualClock;
  readonly controller: AbortController;
}

/** Prepares a run. The test asks for the events. */
export function stage(script: Script, options: PlayOptions = {}): Stage {
  const clock = options.clock ?? createClock({ auto: true });
  const controller = options.controller ?? new AbortController();
  const model = scriptedModel(script, { clock, ...options.judge });
  const run = query({
    messages: options.messages ?? [userSays(options.prompt ?? 'the test fails, fix it')],
    systemPrompt: ['You are a careful engineer.'],
    userContext: {},
    systemContext: {},
    authorizeCall: options.authorizeCall ?? allowAll,
    toolUseContext: contextOf({
      tools: options.tools ?? [],
      signal: controller.signal,
      agentId: options.agentId,
    }),
    querySource: 'sdk',
    ...options.params,
    config: { sessionId: 'session', ...options.config },
    deps: fakeDeps({ random: () => 0.5, ...options.deps, model: options.port ?? model, clock }),
  });
  return { run, model, clock, controller };
}

/** Plays to the end. Fails if a request broke a rule, or if a part of the script was not used. */
export async function play(script: Script, options: PlayOptions = {}): Promise<Played> {
  const { run, model, clock } = stage(script, options);
  const began = clock.now();
  const events: LoopEvent[] = [];
  let next = await run.next();
  while (!next.done) {
    events.push(next.value);
    await options.onEvent?.(next.value, linesOf(events).at(-1) ?? '');
    next = await run.next();
  }
  model.assertNoViolations();
  return {
    events,
    lines: linesOf(events),
    terminal: next.value,
    requests: model.shapes().map(withoutMarks),
    model,
    took: clock.now() - began,
  };
}

function withoutMarks(shape: string): string {
  return shape.replaceAll('[m]', '').replace(/^system \| /, '');
}

function userSays(content: string): Message {
  return { type: 'user', uuid: 'u1', at: 0, content };
}

/** Aborts at the first event whose line starts with the given text. */
export function abortAt(
  controller: AbortController,
  start: string,
  reason: unknown = 'cancelled',
): NonNullable<PlayOptions['onEvent']> {
  return (_event, line) => {
    if (line.startsWith(start)) controller.abort(reason);
  };
}
