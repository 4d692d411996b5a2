/** Hooks as settings files, plugins, skills and agents declare them. Reading never throws: a bad part is reported and the rest loads. */
import { errorMessage, isJsonObject, isRecord, type JsonObject } from '@heddle/core';
import { handlerTimeoutMs, type HookEventName, isHookEvent } from './events.ts';

export type HookHandler =
  | {
      readonly type: 'command';
      readonly command: string;
      /** With arguments the command runs without a shell. */
      readonly args?: readonly string[] | undefined;
      readonly shell?: string | undefined;
      /** Runs in the background; its answer arrives later, as context. */
      readonly async: boolean;
      /** A background run that ends with exit code 2 gives the model its standard error. */
      readonly asyncRewake: boolean;
    }
  | {
      readonly type: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** The only variables that headers may contain. */
      readonly allowedEnvVars: readonly string[];
    }
  | {
      readonly type: 'mcp_tool';
      readonly server: string;
      readonly tool: string;
      readonly input: JsonObject;
    }
  | { readonly type: 'prompt' | 'agent'; readonly prompt: string; readonly model?: string | undefined }
  | { readonly type: 'callback'; readonly callbackId: string };

export interface HookDefinition {
  readonly event: HookEventName;
  /** As written; empty matches everything. */
  readonly matcher: string;
  readonly matches: (subject: string) => boolean;
  readonly handler: HookHandler;
  readonly timeoutMs: number;
  /** A permission rule that limits the hook to the calls it matches. */
  readonly condition?: string | undefined;
  /** Without an answer, the event counts as blocked. */
  readonly failsClosed: boolean;
  readonly statusMessage?: string | undefined;
  /** The file or host that declared it. */
  readonly source: string;
  /** Further environment variables of its command: the root of a plugin. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

export interface HooksRead {
  readonly hooks: readonly HookDefinition[];
  readonly problems: readonly string[];
  /** The problems because of which hooks of known events are missing. They are among `problems`. */
  readonly missing: readonly string[];
}

export interface HookOrigin {
  /** The file or host that declares the hooks. */
  readonly source: string;
  /** Names the place of a value in the source for reports; by default the source alone. */
  readonly placeOf?: ((path: readonly (string | number)[]) => string) | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the value of `hooks` in a settings file: event → matcher groups → handlers. */
export function readHooks(value: unknown, { placeOf, ...origin }: HookOrigin): HooksRead {
  const hooks: HookDefinition[] = [];
  const problems: string[] = [];
  const missing: string[] = [];
  const report = (path: readonly (string | number)[], message: string): string => {
    const place = placeOf?.(['hooks', ...path]) ?? origin.source;
    const key = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    const problem = `${place}: hooks${key}: ${message}`;
    problems.push(problem);
    return problem;
  };
  const leaveOut = (path: readonly (string | number)[], message: string): void => {
    missing.push(report(path, message));
  };
  if (value === undefined) return { hooks, problems, missing };
  if (!isRecord(value)) {
    const problem = `${placeOf?.(['hooks']) ?? origin.source}: hooks is not an object.`;
    return { hooks, problems: [problem], missing: [problem] };
  }
  for (const [event, groups] of Object.entries(value)) {
    if (!isHookEvent(event)) report([event], 'unknown event, ignored.');
    else if (!Array.isArray(groups)) leaveOut([event], 'not a list of matchers, ignored.');
    else for (const [at, group] of groups.entries()) readGroup(event, group, at);
  }
  return { hooks, problems, missing };

  function readGroup(event: HookEventName, group: unknown, index: number): void {
    const place = [event, index];
    if (!isRecord(group)) return leaveOut(place, 'not an object, ignored.');
    const { matcher = '', hooks: handlers } = group;
    if (typeof matcher !== 'string') return leaveOut(place, 'matcher is not a string, ignored.');
    if (!Array.isArray(handlers)) return leaveOut(place, 'has no list "hooks", ignored.');
    const matches = createHookMatcher(matcher);
    if (!matches.ok)
      report(place, `matcher is not a valid expression, so it matches everything: ${matches.message}`);
    for (const [at, fields] of handlers.entries()) {
      const where = [...place, 'hooks', at];
      if (!isRecord(fields)) {
        leaveOut(where, 'not an object, ignored.');
        continue;
      }
      const handler = readHandler(fields);
      if (typeof handler === 'string') {
        leaveOut(where, handler);
        continue;
      }
      const { timeout, if: condition, statusMessage, onFailure = group['onFailure'] } = fields;
      if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0))
        report(where, 'timeout is not a positive number of seconds; the default applies.');
      hooks.push({
        event,
        matcher,
        matches: matches.matches,
        handler,
        timeoutMs: handlerTimeoutMs(event, handler.type, timeout),
        failsClosed: onFailure === 'block',
        condition: textOf(condition),
        statusMessage: textOf(statusMessage),
        ...origin,
      });
    }
  }
}

/** Returns the handler, or a sentence on why it cannot be used. */
function readHandler(fields: Fields): HookHandler | string {
  const { type = 'command' } = fields;
  switch (type) {
    case 'command': {
      const { command, args, shell } = fields;
      if (typeof command !== 'string' || command.trim() === '') return 'has no command, ignored.';
      if (args !== undefined && !isTexts(args)) return 'args is not a list of strings, ignored.';
      return {
        type,
        command,
        async: fields['async'] === true || fields['asyncRewake'] === true,
        asyncRewake: fields['asyncRewake'] === true,
        args,
        shell: textOf(shell),
      };
    }
    case 'http': {
      const { url } = fields;
      if (typeof url !== 'string' || !URL.canParse(url)) return 'has no valid url, ignored.';
      return {
        type,
        url,
        headers: textFieldsOf(fields['headers']),
        allowedEnvVars: isTexts(fields['allowedEnvVars']) ? fields['allowedEnvVars'] : [],
      };
    }
    case 'mcp_tool': {
      const { server, tool, input } = fields;
      if (typeof server !== 'string' || typeof tool !== 'string') return 'needs server and tool, ignored.';
      return { type, server, tool, input: isJsonObject(input) ? input : {} };
    }
    case 'prompt':
    case 'agent': {
      const { prompt, model } = fields;
      if (typeof prompt !== 'string') return 'has no prompt, ignored.';
      return { type, prompt, model: textOf(model) };
    }
    default:
      return `unknown type ${JSON.stringify(type)}, ignored.`;
  }
}

export type HookMatcher =
  | { readonly ok: true; readonly matches: (subject: string) => boolean }
  | { readonly ok: false; readonly matches: (subject: string) => boolean; readonly message: string };

/** Older names of tools that matchers may still use. */
const OLD_TOOL_NAMES: ReadonlyMap<string, string> = new Map([
  ['Task', 'Agent'],
  ['KillShell', 'TaskStop'],
  ['KillBash', 'TaskStop'],
  ['BashOutput', 'TaskOutput'],
]);

/**
 * A name, a list of names, or a regular expression that is searched in the name.
 * An expression that cannot be read matches everything: a guard that runs too often is safer than one that never runs.
 */
export function createHookMatcher(matcher: string): HookMatcher {
  if (matcher === '' || matcher === '*') return { ok: true, matches: () => true };
  if (isNameList(matcher)) {
    let accepted: ReadonlySet<string> | undefined;
    return { ok: true, matches: (subject) => (accepted ??= namesIn(matcher)).has(subject) };
  }
  try {
    const expression = new RegExp(matcher);
    return { ok: true, matches: (subject) => expression.test(subject) };
  } catch (thrown) {
    const message = errorMessage(thrown);
    return { ok: false, matches: () => true, message };
  }
}

/** Most matchers are one name. Characters are compared first, because the first uses of an expression compile it. */
function isNameList(matcher: string): boolean {
  for (const character of matcher) if (!LETTERS.includes(character)) return /^[\w\s,|-]+$/.test(matcher);
  return true;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_|';

function namesIn(matcher: string): ReadonlySet<string> {
  const names = matcher.split(/[|,]/).map((name) => name.trim());
  return new Set(names.map((name) => OLD_TOOL_NAMES.get(name) ?? name).concat(names));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function textFieldsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
