/** The hooks that a host registered with `initialize`: which callbacks want to hear of which events, and how long each has. */
import { type HostLine, lineIn, textIn } from '../json.ts';
import type { HostRequests } from '../requests.ts';
import { combineHookAnswers, type HookResponse } from './hook-response.ts';

interface HostHook {
  /** The host knows its callback by it. */
  readonly callbackId: string;
  readonly matches: (what: string) => boolean;
  readonly deadlineMs: number;
  /** Without its word, what it guards does not happen. */
  readonly isNeeded: boolean;
}

/** The events there are. A host may register others; they never come. */
const HOOK_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'Stop',
  'PreCompact',
  'PostCompact',
] as const;
type HostHookEvent = (typeof HOOK_EVENTS)[number];

export type HostHooks = ReadonlyMap<HostHookEvent, readonly HostHook[]>;

interface HooksRead {
  readonly hooks: HostHooks;
  /** Registered, and never called. */
  readonly unheard: readonly string[];
}

export function readHooks(value: unknown): HooksRead {
  const given = Object.entries(lineIn(value) ?? {}).filter(([, matchers]) => listIn(matchers).length > 0);
  const hooks = new Map<HostHookEvent, readonly HostHook[]>();
  for (const event of HOOK_EVENTS) {
    const found = given.filter(([name]) => name === event).flatMap(([, matchers]) => listIn(matchers));
    const registered = found.flatMap((matcher) => hooksIn(event, lineIn(matcher) ?? {}));
    if (registered.length > 0) hooks.set(event, registered);
  }
  const known: readonly string[] = HOOK_EVENTS;
  return { hooks, unheard: given.map(([name]) => name).filter((name) => !known.includes(name)) };
}

/** A callback does a person's work sometimes; a prompt should not wait so long. */
const USUAL_DEADLINE_MS = 600_000;
const PROMPT_DEADLINE_MS = 30_000;
/** A timer cannot wait longer; one that is set for longer goes off at once. */
const LONGEST_DEADLINE_MS = 2 ** 31 - 1;

function hooksIn(event: HostHookEvent, matcher: HostLine): HostHook[] {
  const seconds = matcher['timeout'];
  const usual = event === 'UserPromptSubmit' ? PROMPT_DEADLINE_MS : USUAL_DEADLINE_MS;
  const wanted = typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : usual;
  const deadlineMs = Math.min(wanted, LONGEST_DEADLINE_MS);
  const matches = hookMatcherOf(textIn(matcher['matcher']) ?? '');
  const isNeeded = matcher['onFailure'] === 'block';
  return listIn(matcher['hookCallbackIds'])
    .filter((id) => typeof id === 'string')
    .map((callbackId) => ({ callbackId, matches, deadlineMs, isNeeded }));
}

/** Names, a list of names, or an expression that is found somewhere in the name. */
export function hookMatcherOf(matcher: string): (what: string) => boolean {
  if (matcher === '' || matcher === '*') return () => true;
  if (/^[\w\s,|-]+$/.test(matcher)) {
    const names = new Set(matcher.split(/[|,]/).map((name) => name.trim()));
    return (what) => names.has(what);
  }
  try {
    const expression = new RegExp(matcher);
    return (what) => expression.test(what);
  } catch {
    // Whoever guards something and cannot say what hears of everything.
    return () => true;
  }
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface HookCall {
  /** What a matcher is held against: the tool, the trigger. */
  readonly what?: string;
  readonly input: object;
  readonly toolUseId?: string;
  readonly signal?: AbortSignal;
}

interface CallbackDeps {
  readonly requests: HostRequests;
  /** What every hook is told: session, folder, mode. */
  readonly about: () => object;
  /** Shows people what a hook has to say to them. */
  readonly tell: (text: string) => void;
}

export class HostCallbacks {
  readonly #hooks: HostHooks;
  readonly #deps: CallbackDeps;

  constructor(hooks: HostHooks, deps: CallbackDeps) {
    this.#hooks = hooks;
    this.#deps = deps;
  }

  hears(event: HostHookEvent): boolean {
    return this.#hooks.has(event);
  }

  /** Never rejects: a callback that fails has no say, and what that means is for whoever asked. */
  async call(event: HostHookEvent, { what = '', input, toolUseId, signal }: HookCall): Promise<HookResponse> {
    const { requests, about, tell } = this.#deps;
    const hooks = (this.#hooks.get(event) ?? []).filter(({ matches }) => matches(what));
    const request = {
      subtype: 'hook_callback',
      input: { ...about(), hook_event_name: event, ...input },
      tool_use_id: toolUseId,
    };
    const answers = await Promise.all(
      hooks.map(async (hook) => {
        const { callbackId: callback_id, deadlineMs } = hook;
        return { hook, reply: await requests.ask({ ...request, callback_id }, { signal, deadlineMs }) };
      }),
    );
    const said = combineHookAnswers(answers);
    for (const text of said.messages) tell(text);
    for (const { why, message } of said.failures)
      if (why !== 'withdrawn') tell(`A ${event} hook of the host gave no answer: ${message}`);
    return said;
  }
}
