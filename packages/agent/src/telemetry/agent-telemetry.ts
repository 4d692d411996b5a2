/** Turns the events of an agent into spans and metrics: turns, model calls, tools, hooks and compactions. */
import {
  type AssistantMessage,
  COMPACTION_LEVELS,
  type ContextReport,
  type JsonObject,
  type LoopEvent,
  type Terminal,
  textOf,
  type Usage,
} from '@heddle/core';
import type { Agent } from '../create-agent.ts';
import type { SubagentWatch, WatchedSubagent } from '../engine/options.ts';
import type { HookProgress } from '../hooks/index.ts';
import {
  type Attributes,
  COST,
  OPERATION_DURATION,
  type SpanStart,
  type TelemetryPort,
  type TelemetrySpan,
  TOKEN_USAGE,
} from './telemetry-port.ts';

export interface TelemetrySetup {
  readonly port: TelemetryPort;
  /** The model of the first request. */
  readonly modelName: string;
  /** Adds prompts, answers, inputs and results to spans. It removes secrets from a text. Undefined: no content. */
  readonly redactContent?: ((text: string) => string) | undefined;
  /** In milliseconds since 1970. */
  readonly now?: () => number;
}

interface OpenTurn {
  readonly span: TelemetrySpan;
  readonly costs: ReadonlyMap<string, number>;
}

/**
 * Contract: pass `onEvent` as an option of the agent, and the agent to `watch` before its first prompt.
 *
 * @example
 * const telemetry = new AgentTelemetry({ port: await connectToApi(), modelName });
 * const agent = telemetry.watch(createAgent({ ...options, modelName, onEvent: telemetry.onEvent }));
 */
export class AgentTelemetry {
  readonly #setup: TelemetrySetup;
  readonly #now: () => number;
  #modelName: string;
  #sessionId: string | undefined;
  #turn: OpenTurn | undefined;
  /** The model of the current request. A fallback lasts until the end of its turn. */
  #requestModel: string | undefined;
  /** The start of the current attempt to call the model. */
  #requestedAt: number | undefined;
  /** The blocks of the current answer. Only kept if content is reported. */
  #answer: AssistantMessage[] = [];
  #compaction: TelemetrySpan | undefined;
  readonly #tools = new Map<string, TelemetrySpan>();
  readonly #hooks = new Map<number, TelemetrySpan>();
  /** The subagents that run. */
  readonly #subagents = new Set<AgentTelemetry>();

  constructor(setup: TelemetrySetup) {
    this.#setup = setup;
    this.#modelName = setup.modelName;
    this.#now = setup.now ?? Date.now;
  }

  /** Reports each prompt of this agent as a turn. Replaces `submit`, `continue` and `change` of the agent, and returns it. */
  watch(agent: Agent): Agent {
    const submit = agent.submit.bind(agent);
    const continueRun = agent.continue.bind(agent);
    const change = agent.change.bind(agent);
    this.#sessionId = agent.sessionId;
    return Object.assign(agent, {
      submit: (prompt) =>
        this.#watchTurn(agent, textOf(typeof prompt === 'string' ? prompt : prompt.content), submit(prompt)),
      continue: () => this.#watchTurn(agent, undefined, continueRun()),
      change: (changes) => {
        this.#modelName = changes.modelName ?? this.#modelName;
        change(changes);
      },
    } satisfies Partial<Agent>);
  }

  /** Returns the span of a call, for programs and servers that the call uses. Without a call, returns the span of the turn. */
  traceparentOf(toolUseId?: string): string | undefined {
    const tool = toolUseId === undefined ? undefined : this.#toolSpan(toolUseId);
    return (tool ?? this.#turn?.span)?.traceparent;
  }

  /** Reports a subagent as a span below the call that started it. Its model calls and tools are below that span. */
  watchSubagent({ agentId, type, toolUseId, modelName }: WatchedSubagent): SubagentWatch {
    const parent = this.#toolSpan(toolUseId) ?? this.#turn?.span;
    const child = new AgentTelemetry({ ...this.#setup, modelName });
    child.#sessionId = this.#sessionId;
    const span = child.#start(
      `invoke_agent ${type}`,
      {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': type,
        'gen_ai.agent.id': agentId,
        ...modelAttributes(modelName),
      },
      { parent },
    );
    child.#turn = { span, costs: new Map() };
    this.#subagents.add(child);
    return {
      onEvent: child.onEvent,
      end: (failure) => {
        child.#endOpenSpans(failure ?? 'completed');
        span.end({ errorType: failure });
        this.#subagents.delete(child);
      },
    };
  }

  /** Finds the span of a call of this agent, or of a running subagent. */
  #toolSpan(toolUseId: string): TelemetrySpan | undefined {
    const own = this.#tools.get(toolUseId);
    if (own) return own;
    for (const subagent of this.#subagents) {
      const span = subagent.#toolSpan(toolUseId);
      if (span) return span;
    }
    return undefined;
  }

  async *#watchTurn(
    agent: Agent,
    prompt: string | undefined,
    lines: ReturnType<Agent['submit']>,
  ): ReturnType<Agent['submit']> {
    // The engine refuses a second prompt during a turn.
    if (this.#turn) return yield* lines;
    const span = this.#start('invoke_agent heddle', {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'heddle',
      ...modelAttributes(this.#modelName),
      'gen_ai.input.messages': this.#messages('user', prompt),
    });
    this.#turn = { span, costs: costsOf(agent) };
    let terminal: Terminal | undefined;
    try {
      terminal = yield* lines;
      return terminal;
    } finally {
      this.#endTurn(agent, this.#turn, terminal);
    }
  }

  #endTurn(agent: Agent, { span, costs }: OpenTurn, terminal: Terminal | undefined): void {
    const reason = terminal?.reason ?? 'aborted_streaming';
    if (terminal?.reason === 'api_error') this.#endAttempt({ errorType: terminal.error.class });
    else if (reason === 'aborted_streaming') this.#endAttempt({ errorType: reason });
    this.#endOpenSpans(reason);
    let turnCost = 0;
    for (const [model, costUsd] of costsOf(agent)) {
      const cost = costUsd - (costs.get(model) ?? 0);
      turnCost += cost;
      if (cost > 0) this.#setup.port.record(COST, cost, modelAttributes(model));
    }
    span.end({
      attributes: { 'heddle.turn.reason': reason, 'heddle.turn.cost_usd': turnCost },
      errorType: reason === 'completed' ? undefined : reason,
    });
    this.#turn = undefined;
  }

  #endOpenSpans(reason: string): void {
    this.#requestedAt = undefined;
    this.#requestModel = undefined;
    for (const tool of this.#tools.values()) tool.end({ errorType: reason });
    this.#tools.clear();
    this.#compaction?.end({ errorType: reason });
    this.#compaction = undefined;
  }

  readonly onEvent = (event: LoopEvent): void => {
    switch (event.type) {
      case 'stream_request_start':
        this.#requestModel ??= this.#modelName;
        this.#requestedAt = this.#now();
        this.#answer = [];
        return;
      case 'message': {
        const { message, outcome } = event;
        if (message.type === 'assistant' && this.#setup.redactContent) this.#answer.push(message);
        if (message.type === 'system' && message.subtype === 'model_fallback')
          this.#startFallback(message.details ?? {});
        if (outcome) this.#endTool(outcome, message.type === 'user' ? message.content : '');
        return;
      }
      case 'answer_end':
        this.#endAnswer(event);
        return;
      case 'spent':
        this.#countTokens(event.model, event.usage);
        return;
      case 'retry':
        this.#endAttempt({ errorType: event.error.class });
        this.#requestedAt = this.#now() + event.delayMs;
        return;
      case 'transition':
        // An attempt is still open if it failed and a recovery follows.
        this.#endAttempt({ errorType: event.transition.reason });
        return;
      case 'tool_intent':
        this.#tools.set(
          event.toolUseId,
          this.#start(`execute_tool ${event.tool}`, {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': event.tool,
            'gen_ai.tool.type': 'function',
            'gen_ai.tool.call.id': event.toolUseId,
            'heddle.tool.effect': event.effect,
            'gen_ai.tool.call.arguments': this.#content(() => JSON.stringify(event.input)),
          }),
        );
        return;
      case 'compacting':
        // The request follows the compaction.
        this.#requestedAt = undefined;
        this.#compaction = this.#start('compact', { 'heddle.compaction.trigger': event.trigger });
        return;
      case 'context':
        if (COMPACTION_LEVELS.has(event.report.level))
          this.#endCompaction(event.report, event.messages !== undefined);
        return;
      default:
        return;
    }
  };

  readonly onHook = (progress: HookProgress): void => {
    const { id, hook, subject } = progress;
    if (progress.type === 'hook_started')
      this.#hooks.set(
        id,
        this.#start(`hook ${hook.event}`, {
          'heddle.hook.event': hook.event,
          'heddle.hook.type': hook.handler.type,
          'heddle.hook.subject': subject === '' ? undefined : subject,
        }),
      );
    if (progress.type !== 'hook_finished') return;
    const { result } = progress;
    this.#hooks.get(id)?.end({ errorType: result.kind === 'failed' ? result.failure.kind : undefined });
    this.#hooks.delete(id);
  };

  #endAnswer({ model, responseId, stopReason, usage }: Extract<LoopEvent, { type: 'answer_end' }>): void {
    this.#endAttempt({
      attributes: {
        'gen_ai.response.model': model,
        'gen_ai.response.id': responseId,
        'gen_ai.response.finish_reasons': stopReason === undefined ? undefined : [stopReason],
        'gen_ai.usage.input_tokens': inputTokens(usage),
        'gen_ai.usage.output_tokens': usage.output_tokens,
        'gen_ai.usage.cache_read.input_tokens': usage.cache_read_input_tokens,
        'gen_ai.usage.cache_creation.input_tokens': usage.cache_creation_input_tokens,
        'gen_ai.output.messages': this.#messages(
          'assistant',
          this.#answer.map(({ content }) => textOf(content)).join(''),
        ),
      },
    });
    this.#countTokens(model, usage);
  }

  /** A span of a model call is created at its end: only then is it certain that the request was sent. */
  #endAttempt({ attributes, errorType }: { attributes?: Attributes; errorType?: string }): void {
    if (this.#requestedAt === undefined) return;
    const startMs = this.#requestedAt;
    this.#requestedAt = undefined;
    const model = this.#requestModel ?? this.#modelName;
    const common = { 'gen_ai.operation.name': 'chat', ...modelAttributes(model) };
    const span = this.#start(`chat ${model}`, common, { kind: 'client', startMs });
    span.end({ ...(attributes && { attributes }), errorType });
    const seconds = Math.max(this.#now() - startMs, 0) / 1_000;
    this.#setup.port.record(OPERATION_DURATION, seconds, { ...common, 'error.type': errorType });
  }

  /** The attempt before the notice failed, and the next one asks another model. */
  #startFallback({ to, error }: JsonObject): void {
    this.#endAttempt({ errorType: typeof error === 'string' ? error : 'model_fallback' });
    if (typeof to === 'string') this.#requestModel = to;
    this.#requestedAt = this.#now();
  }

  #endTool(outcome: { toolUseId: string; isError: boolean }, content: Parameters<typeof textOf>[0]): void {
    this.#tools.get(outcome.toolUseId)?.end({
      attributes: { 'gen_ai.tool.call.result': this.#content(() => JSON.stringify(content)) },
      errorType: outcome.isError ? 'tool_error' : undefined,
    });
    this.#tools.delete(outcome.toolUseId);
  }

  #endCompaction({ level, tokensBefore, tokensAfter }: ContextReport, isReplaced: boolean): void {
    const span = this.#compaction ?? this.#start('compact', {});
    span.end({
      attributes: {
        'heddle.compaction.level': level,
        'heddle.compaction.tokens_before': tokensBefore,
        'heddle.compaction.tokens_after': tokensAfter,
      },
      errorType: isReplaced ? undefined : 'compaction_failed',
    });
    this.#compaction = undefined;
    if (this.#turn) this.#requestedAt = this.#now();
  }

  #countTokens(model: string, usage: Usage): void {
    const common = { 'gen_ai.operation.name': 'chat', ...modelAttributes(model) };
    const { port } = this.#setup;
    port.record(TOKEN_USAGE, inputTokens(usage), { ...common, 'gen_ai.token.type': 'input' });
    port.record(TOKEN_USAGE, usage.output_tokens, { ...common, 'gen_ai.token.type': 'output' });
  }

  #start(
    name: string,
    attributes: Attributes,
    { kind = 'internal', startMs, parent = this.#turn?.span }: Partial<SpanStart> = {},
  ): TelemetrySpan {
    return this.#setup.port.startSpan(name, {
      kind,
      startMs,
      parent,
      attributes: { ...attributes, 'gen_ai.conversation.id': this.#sessionId },
    });
  }

  #messages(role: 'user' | 'assistant', text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    return this.#content(() => JSON.stringify([{ role, parts: [{ type: 'text', content: text }] }]));
  }

  /** A content that is not reported is not built either. */
  #content(build: () => string): string | undefined {
    return this.#setup.redactContent?.(build()).slice(0, MAX_CONTENT_CHARS);
  }
}

/** Backends reject or cut longer attributes. */
const MAX_CONTENT_CHARS = 32_768;

/** Names of the conventions for providers that Heddle names differently. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  'openai-chat': 'openai',
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

/** A name without a provider is a model of Anthropic. */
function modelAttributes(model: string): Attributes {
  const [, provider = 'anthropic'] = /^([a-z-]+)[/:]/.exec(model) ?? [];
  return { 'gen_ai.provider.name': PROVIDER_NAMES[provider] ?? provider, 'gen_ai.request.model': model };
}

/** The conventions count cached tokens as input. */
function inputTokens(usage: Usage): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
}

function costsOf({ spending }: Agent): ReadonlyMap<string, number> {
  return new Map(Object.entries(spending.models).map(([model, { costUSD }]) => [model, costUSD ?? 0]));
}
