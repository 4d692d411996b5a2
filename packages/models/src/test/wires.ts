/**
 * Runs the loop over any wire format: the Messages API with our own adapter, the others with the real
 * package of a provider.
 */
import {
  type ContextPort,
  type LoopEvent,
  type ModelPort,
  query,
  type QueryParams,
  type Terminal,
  textOf,
} from '@heddle/core';
import {
  allowAll,
  type ApiScript,
  collect,
  contextOf,
  createClock,
  fakeContext,
  fakeDeps,
  type FakeWire,
  fakeTool,
  startFakeApi,
  startFakeProvider,
  type VirtualClock,
} from '@heddle/testing';
import { createAnthropicPort } from '../anthropic/port.ts';
import { openProvider } from '../providers/port.ts';
import { providerNamed } from '../providers/providers.ts';
import { closing, TEST_KEY } from './stage-api.ts';

export interface TestWire {
  /** The id of the provider. */
  readonly id: string;
  readonly model: string;
  readonly format: FakeWire | 'messages';
  /** The path after the server's address. */
  readonly path: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The variable of the address, if it is not the provider's own. */
  readonly addressVariable?: string;
}

const MESSAGES: TestWire = { id: 'anthropic', model: 'test-1', format: 'messages', path: '' };
export const CHAT: TestWire = { id: 'openai-chat', model: 'openai-chat/gpt-5', format: 'chat', path: '/v1' };
export const RESPONSES: TestWire = { id: 'openai', model: 'openai/gpt-5', format: 'responses', path: '/v1' };
export const GEMINI: TestWire = {
  id: 'google',
  model: 'google/gemini-3.1-pro-preview',
  format: 'gemini',
  path: '/v1beta',
};

export const CONVERSE: TestWire = {
  id: 'bedrock',
  model: 'bedrock/anthropic.claude-opus-5-5',
  format: 'converse',
  path: '',
  environment: { AWS_REGION: 'eu-central-1' },
};
/** Chat Completions of self-hosted servers, which another package reads. */
export const COMPATIBLE: TestWire = {
  id: 'openai-compatible',
  model: 'openai-compatible/any',
  format: 'chat',
  path: '/v1',
};

/** The four formats that must produce the same conversation. */
export const WIRES: readonly TestWire[] = [MESSAGES, CHAT, RESPONSES, GEMINI];

/** Every other provider of the table. */
export const OTHERS: readonly TestWire[] = [
  CONVERSE,
  { id: 'vertex', model: 'vertex/gemini-3.1-pro-preview', format: 'gemini', path: '/v1' },
  { id: 'mistral', model: 'mistral/mistral-medium-3-5', format: 'mistral', path: '/v1' },
  { id: 'groq', model: 'groq/openai/gpt-oss-120b', format: 'groq', path: '/openai/v1' },
  { id: 'xai', model: 'xai/grok-4.6', format: 'responses', path: '/v1' },
  { id: 'deepseek', model: 'deepseek/deepseek-v4-pro', format: 'deepseek', path: '' },
  { id: 'openrouter', model: 'openrouter/z-ai/glm-5.3', format: 'openrouter', path: '/api/v1' },
  COMPATIBLE,
  { id: 'ollama', model: 'ollama/qwen3:8b', format: 'chat', path: '' },
  { id: 'llamacpp', model: 'llamacpp/any', format: 'chat', path: '/v1' },
  { id: 'vllm', model: 'vllm/any', format: 'chat', path: '/v1' },
  { id: 'lmstudio', model: 'lmstudio/any', format: 'chat', path: '/v1' },
];

interface Server {
  readonly requests: readonly {
    readonly body: unknown;
    readonly path: string;
    readonly closed: Promise<void>;
  }[];
  assertNoViolations(): void;
}

export interface Staged {
  readonly port: ModelPort;
  readonly server: Server;
  /** The clock of the port. It moves only when a test advances it. */
  readonly clock: VirtualClock;
}

export async function stageWire(wire: TestWire, script: ApiScript): Promise<Staged> {
  const clock = createClock();
  if (wire.format === 'messages') {
    const api = closing(await startFakeApi(script, { models: [wire.model] }));
    const port = closing(createAnthropicPort({ environment: {}, apiKey: TEST_KEY, clock, baseUrl: api.url }));
    return { port, server: api, clock };
  }
  const provider = providerNamed(wire.id);
  if (provider === undefined) throw new Error(`there is no provider ${wire.id}`);
  const server = closing(await startFakeProvider(wire.format, script));
  const environment = {
    [provider.keys[0] ?? '']: TEST_KEY,
    [wire.addressVariable ?? provider.baseUrlVariable]: `${server.url}${wire.path}`,
    ...wire.environment,
  };
  return { port: await openProvider(provider, { environment, clock }), server, clock };
}

export interface Ran {
  readonly server: Server;
  readonly events: readonly LoopEvent[];
  readonly terminal: Terminal;
}

export interface RunOptions {
  readonly params?: Partial<QueryParams>;
  readonly context?: ContextPort;
  readonly onStaged?: (staged: Staged) => void;
  readonly onEvent?: (event: LoopEvent, staged: Staged) => void;
}

/** Runs the loop. Its own waits take no time. */
export async function runOn(
  wire: TestWire,
  script: ApiScript,
  { params = {}, context = fakeContext(), onStaged, onEvent }: RunOptions = {},
): Promise<Ran> {
  const staged = await stageWire(wire, script);
  onStaged?.(staged);
  const loop = query({
    messages: [{ type: 'user', uuid: 'u1', at: 0, content: 'go' }],
    systemPrompt: ['You are tested.'],
    userContext: {},
    systemContext: {},
    authorizeCall: allowAll,
    toolUseContext: contextOf({ tools: [LOOK], model: wire.model }),
    querySource: 'sdk',
    ...params,
    config: { sessionId: 's', partialMessages: true, ...params.config },
    deps: fakeDeps({ model: staged.port, context, clock: createClock({ auto: true }) }),
  });
  const { yielded, returned } = await collect(loop, (event) => onEvent?.(event, staged));
  staged.server.assertNoViolations();
  return { server: staged.server, events: yielded, terminal: returned };
}

const LOOK = fakeTool({
  name: 'Look',
  run: ({ at }) => `seen ${typeof at === 'string' ? at : 'nothing'}`,
});

/** Returns roles, texts, calls and results, without retracted parts. */
export function conversationOf(events: readonly LoopEvent[]): readonly string[] {
  const gone = new Set(events.flatMap((event) => (event.type === 'tombstone' ? event.uuids : [])));
  return events.flatMap((event) => {
    if (event.type !== 'message' || gone.has(event.message.uuid)) return [];
    const { message } = event;
    if (message.type !== 'assistant' && message.type !== 'user') return [];
    if (message.type === 'assistant' && message.apiError !== undefined) return [];
    const content = typeof message.content === 'string' ? [] : message.content;
    return content.flatMap((block) => {
      if (block.type === 'text') return [`${message.type}: ${block.text}`];
      if (block.type === 'tool_use') return [`${message.type}: ${block.name} ${JSON.stringify(block.input)}`];
      return block.type === 'tool_result' ? [`${message.type}: ${textOf(block.content)}`] : [];
    });
  });
}
