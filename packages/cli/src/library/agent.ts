/** `agent()`: an agent in a few lines. It starts with its first prompt. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  type Agent,
  type AgentOptions,
  type AskPermission,
  createAgent,
  mistakeInLimits,
  newSession,
  type PermissionAnswer,
  type PermissionQuestion,
  resumeSession,
  type Rule,
  type SdkMessage,
  type SdkResult,
  type Session,
  systemClock,
  VERSION,
  newUuid,
} from '@heddle/agent';
import { isRecord, type ModelPort, omitUndefined, type PermissionMode, type Tool } from '@heddle/core';
import { findModel } from '@heddle/models';
import { builtinTools } from '@heddle/tools';
import { sessionPlace } from '../config-dir.ts';
import { modelEnvironment } from '../keys.ts';
import { modelSetup, readFallbacks } from '../start/model-options.ts';

/** Every field is optional. The options of `createAgent` that are listed here have the same meaning. */
export interface LibraryOptions
  extends Pick<
    AgentOptions,
    | 'hooks'
    | 'maxTurns'
    | 'maxBudgetUsd'
    | 'outputSchema'
    | 'fallbackModel'
    | 'includePartialMessages'
    | 'requestOptions'
    | 'session'
    | 'onEvent'
  > {
  /** A name such as `sonnet` or `openai/gpt-5.2`, or a model port. By default, the model that the environment offers. */
  readonly model?: string | ModelPort | undefined;
  /** By default the built-in tools. Tools that `tool()` made run without a question. */
  readonly tools?: readonly Tool[] | undefined;
  /** In place of the built-in system prompt. */
  readonly system?: string | undefined;
  /** By default the working directory of the process. */
  readonly cwd?: string | undefined;
  readonly permissions?: LibraryPermissions | undefined;
}

export interface LibraryPermissions {
  readonly mode?: PermissionMode | undefined;
  /** Rules such as `Bash(git *)`. */
  readonly allow?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  /** Answers questions about calls that no rule decides. Without it, these calls are denied. */
  readonly canUseTool?: ((question: PermissionQuestion) => Promise<PermissionAnswer | boolean>) | undefined;
}

export interface LibraryAgent {
  /** Runs a prompt and returns the answer. Rejects with an `AgentError` if there is none. */
  text(prompt: string, options?: PromptOptions): Promise<string>;
  /** Runs a prompt and returns its messages as they come. The last one is the result. */
  stream(prompt: string, options?: PromptOptions): AsyncGenerator<SdkMessage, void>;
  /** Runs a prompt and returns its result, also if it is an error. */
  run(prompt: string, options?: PromptOptions): Promise<SdkResult>;
  /** The agent underneath, with every method of `createAgent`. */
  start(): Promise<Agent>;
}

export interface PromptOptions {
  /** Ends the prompt. */
  readonly signal?: AbortSignal | undefined;
}

/** A prompt ended without an answer. `result` has the reason. */
export class AgentError extends Error {
  readonly result: SdkResult;

  constructor(result: SdkResult) {
    super(result.errors?.join(' ') ?? result.result ?? result.subtype);
    this.name = 'AgentError';
    this.result = result;
  }
}

/** Throws a `TypeError` with one sentence if an option cannot work. A model that cannot be had rejects the first prompt. */
export function agent(options: LibraryOptions = {}): LibraryAgent {
  const mistake = mistakeIn(options);
  if (mistake !== undefined) throw new TypeError(mistake);
  let starting: Promise<Agent> | undefined;
  const start = (): Promise<Agent> => (starting ??= open(options));
  async function* stream(prompt: string, { signal }: PromptOptions = {}): AsyncGenerator<SdkMessage, void> {
    const running = await start();
    const abort = (): void => running.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const messages = running.submit(prompt);
      if (signal?.aborted) abort();
      yield* messages;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }
  async function run(prompt: string, given?: PromptOptions): Promise<SdkResult> {
    let result: SdkResult | undefined;
    for await (const message of stream(prompt, given)) if (message.type === 'result') result = message;
    if (!result) throw new Error('The prompt ended without a result.');
    return result;
  }
  return {
    start,
    stream,
    run,
    text: async (prompt, given) => {
      const result = await run(prompt, given);
      if (result.is_error || result.result === undefined) throw new AgentError(result);
      return result.result;
    },
  };
}

async function open(options: LibraryOptions): Promise<Agent> {
  const { model, tools = builtinTools(), system, cwd = process.cwd(), permissions = {}, ...rest } = options;
  const { mode, canUseTool } = permissions;
  const chosen = await modelOf(model, rest.fallbackModel);
  // The names of the built-in tools are known. The program that defines another tool permits it.
  const known = new Set(builtinTools().map(({ name }) => name));
  const own = tools.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  return createAgent({
    ...chosen,
    ...rest,
    ...omitUndefined({ fallbackModel: chosen.fallbackModel }),
    tools,
    cwd,
    systemPrompt: system === undefined ? undefined : [system],
    permissionMode: mode,
    rules: {
      deny: rules(permissions.deny),
      ask: rules(permissions.ask),
      allow: rules([...(permissions.allow ?? []), ...own]),
    },
    canUseTool: canUseTool && asked(canUseTool),
  });
}

function rules(texts: readonly string[] = []): readonly Rule[] {
  return texts.map((text) => ({ text, source: 'session' as const }));
}

function asked(canUseTool: NonNullable<LibraryPermissions['canUseTool']>): AskPermission {
  return async (question) => {
    const answer = await canUseTool(question);
    return typeof answer === 'boolean' ? { allow: answer } : answer;
  };
}

type ModelChoice = Pick<AgentOptions, 'model' | 'modelName'> & Partial<AgentOptions>;

/** The names of fallbacks are checked and completed, because a wrong one would be noticed only in an emergency. */
async function modelOf(
  model: LibraryOptions['model'],
  fallbackModel: LibraryOptions['fallbackModel'],
): Promise<ModelChoice> {
  if (typeof model === 'function') return { model, modelName: 'custom', fallbackModel };
  const wanted = model ?? (await findModel(modelEnvironment(), undefined));
  if (wanted === undefined)
    throw new Error('There is no model: set ANTHROPIC_API_KEY, or name one as `model`.');
  const found = await modelSetup(wanted);
  if (!found.ok) throw new Error(found.message);
  const fallbacks = await readFallbacks([fallbackModel ?? []].flat(), {
    first: wanted,
    from: 'fallbackModel',
  });
  if (!fallbacks.ok) throw new Error(fallbacks.message);
  const { plays: _, ...options } = found.options;
  return fallbacks.models.length === 0 ? options : { ...options, fallbackModel: fallbacks.models };
}

export interface SessionOptions {
  readonly cwd?: string | undefined;
  /** By default the folder of the program, so that `heddle --resume` continues the session. */
  readonly configDir?: string | undefined;
}

/** Continues a stored session, or begins one with this id. Close it with `session.journal.close()`. */
export function openSession(id: string = newUuid(), options: SessionOptions = {}): Session {
  const { cwd = process.cwd(), configDir } = options;
  const place = configDir === undefined ? sessionPlace(process.env, cwd) : { configDir, cwd };
  const setup = { place, version: VERSION, durability: 'process', now: systemClock.now } as const;
  const known = resumeSession(setup, id);
  const opened = known.ok || !known.isUnknown ? known : newSession(setup, id);
  if (!opened.ok) throw new Error(opened.message);
  return opened.session;
}

const OPTIONS: Readonly<Record<keyof LibraryOptions, true>> = {
  model: true,
  tools: true,
  system: true,
  cwd: true,
  permissions: true,
  hooks: true,
  maxTurns: true,
  maxBudgetUsd: true,
  outputSchema: true,
  fallbackModel: true,
  includePartialMessages: true,
  requestOptions: true,
  session: true,
  onEvent: true,
};

/** Callers in plain JavaScript have no compiler. */
function mistakeIn(options: LibraryOptions): string | undefined {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined)
    return `The option ${unknown} does not exist. The options are ${Object.keys(OPTIONS).join(', ')}.`;
  const { model, fallbackModel, cwd, tools } = options;
  if (model !== undefined && typeof model !== 'function' && (typeof model !== 'string' || model === ''))
    return 'model must be the name of a model, or a model port.';
  if ([fallbackModel ?? []].flat().some((name) => typeof name !== 'string' || name === ''))
    return 'fallbackModel must be the name of a model, or a list of names.';
  if (cwd !== undefined && !(typeof cwd === 'string' && existsSync(path.resolve(cwd))))
    return `cwd must be an existing folder, not ${JSON.stringify(cwd)}.`;
  if (tools !== undefined && !Array.isArray(tools)) return 'tools must be a list of tools.';
  for (const given of [tools ?? []].flat())
    if (!isRecord(given) || typeof given['call'] !== 'function')
      return `Make each tool with tool({ name, description, input, run }): ${JSON.stringify(given)} is not a tool.`;
  return mistakeInLimits(options);
}
