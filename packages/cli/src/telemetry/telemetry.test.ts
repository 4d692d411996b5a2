/** The shipped program sends the spans and metrics of a turn to a receiver, and only if it is asked to. */
import { isRecord } from '@heddle/core';
import { call, say, startFakeApi, startLoopback } from '@heddle/testing';
import { testServer } from '@heddle/testing/mcp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { globSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { homeFor } from '../test/home.ts';
import { install, installCopy, type Installed, linesOf } from '../test/program.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly kind: number;
  readonly isError: boolean;
  readonly durationNs: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A receiver of OTLP over HTTP that answers with this status. With 0 it never answers. */
async function startReceiver(status = 200) {
  const requests: { readonly path: string; readonly headers: object; readonly body: unknown }[] = [];
  const failures: string[] = [];
  const server = await startLoopback(
    async (incoming, response) => {
      let text = '';
      for await (const part of incoming) text += String(part);
      requests.push({ path: incoming.url ?? '', headers: incoming.headers, body: JSON.parse(text) });
      if (status > 0) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    },
    (message) => failures.push(message),
  );
  const bodies = (where: string): unknown[] =>
    requests.filter((request) => request.path === where).map(({ body }) => body);
  return {
    ...server,
    requests,
    failures,
    spans: (): Span[] =>
      bodies('/v1/traces')
        .flatMap((body) => listsIn(body, 'spans'))
        .map(spanOf),
    metrics: (): Record<string, unknown>[] =>
      bodies('/v1/metrics').flatMap((body) => listsIn(body, 'metrics')),
  };
}

/** Every object in the lists with this name, at any depth. */
function listsIn(value: unknown, name: string): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap((item) => listsIn(item, name));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && Array.isArray(inner) ? inner.filter(isRecord) : listsIn(inner, name),
  );
}

function spanOf(span: Record<string, unknown>): Span {
  const { status, parentSpanId } = span;
  return {
    name: String(span['name']),
    traceId: String(span['traceId']),
    spanId: String(span['spanId']),
    parentSpanId: typeof parentSpanId === 'string' ? parentSpanId : undefined,
    kind: Number(span['kind']),
    isError: isRecord(status) && status['code'] === 2,
    durationNs: BigInt(String(span['endTimeUnixNano'])) - BigInt(String(span['startTimeUnixNano'])),
    attributes: attributesOf(span),
  };
}

function attributesOf({ attributes }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const list = Array.isArray(attributes) ? attributes.filter(isRecord) : [];
  return Object.fromEntries(
    list.map(({ key, value }) => [String(key), isRecord(value) ? Object.values(value)[0] : undefined]),
  );
}

const HOOKS = {
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }] },
};
const SCRIPT = [
  call('Bash', { command: 'printenv TRACEPARENT; echo "secret text"' }, 'b1'),
  say('All is done.'),
];

async function runTurn(env: Readonly<Record<string, string>>) {
  const home = homeFor(installed.program);
  const settings = path.join(home.folder, 'settings.json');
  writeFileSync(settings, JSON.stringify(HOOKS));
  const argv = ['-p', 'my prompt', '--output-format', 'stream-json', '--verbose', '--settings', settings];
  const model = home.script(SCRIPT);
  const ended = await home.run([...argv, '--dangerously-skip-permissions', '--model', model], { env });
  expect(ended).toMatchObject({ code: 0 });
  return { ...ended, model };
}

it('sends the spans of one turn with their parents and attributes, without any content', async () => {
  const receiver = await startReceiver();
  const { stdout, model } = await runTurn({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
    OTEL_SERVICE_NAME: 'my-agent',
  });
  await receiver.close();
  expect(receiver.failures).toEqual([]);
  const spans = receiver.spans();
  const turn = spans.find(({ name }) => name === 'invoke_agent heddle');
  const children = spans.filter((span) => span !== turn);
  expect(children.map(({ name }) => name).sort()).toEqual([
    `chat ${model}`,
    `chat ${model}`,
    'execute_tool Bash',
    'hook PreToolUse',
  ]);
  expect(turn).toMatchObject({
    parentSpanId: undefined,
    isError: false,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'heddle.turn.reason': 'completed' },
  });
  for (const child of children)
    expect(child).toMatchObject({ traceId: turn?.traceId, parentSpanId: turn?.spanId, isError: false });
  const session = linesOf(stdout)[0]?.['session_id'];
  const chat = spans.find(({ kind }) => kind === 3);
  expect(chat?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'scripted',
    'gen_ai.request.model': model,
    'gen_ai.conversation.id': session,
    'gen_ai.response.finish_reasons': { values: [{ stringValue: 'tool_use' }] },
  });
  expect(Number(chat?.attributes['gen_ai.usage.input_tokens'])).toBeGreaterThan(0);
  const tool = spans.find(({ name }) => name === 'execute_tool Bash');
  expect(tool?.attributes).toMatchObject({ 'gen_ai.tool.name': 'Bash', 'gen_ai.tool.call.id': 'b1' });
  expect(tool?.durationNs).toBeGreaterThan(0n);
  // The command received the span of its call.
  expect(stdout).toContain(`00-${tool?.traceId}-${tool?.spanId}-01`);

  expect(receiver.requests[0]?.headers).toMatchObject({ authorization: 'Bearer abc' });
  expect(listsIn(receiver.requests[0]?.body, 'resourceSpans').map(({ resource }) => resource)).toEqual([
    expect.objectContaining({
      attributes: expect.arrayContaining([{ key: 'service.name', value: { stringValue: 'my-agent' } }]),
    }),
  ]);
  const everything = JSON.stringify(receiver.requests.map(({ body }) => body));
  for (const content of ['my prompt', 'secret text', 'All is done.'])
    expect(everything).not.toContain(content);

  const metrics = receiver.metrics();
  expect(new Set(metrics.map(({ name }) => name))).toEqual(
    new Set(['gen_ai.client.token.usage', 'gen_ai.client.operation.duration']),
  );
  const tokens = metrics.findLast(({ name }) => name === 'gen_ai.client.token.usage');
  const points = listsIn(tokens, 'dataPoints');
  expect(points.map((point) => attributesOf(point)['gen_ai.token.type'])).toEqual(['input', 'output']);
  expect(points.map(({ count }) => count)).toEqual(['2', '2']);
});

it('reports the model calls and tools of a subagent below the call that started it', async () => {
  const receiver = await startReceiver();
  const home = homeFor(installed.program);
  const model = 'claude-sonnet-4-5';
  let seen = '';
  const api = await startFakeApi(
    (body) => {
      const text = JSON.stringify(body['messages']);
      const isMain = text.includes('MAIN TASK');
      if (!isMain) seen = text;
      if (text.includes('tool_result')) return say('Done.');
      if (!isMain) return [call('Bash', { command: 'printenv TRACEPARENT' }, 'b1')];
      const task = { description: 'Look', prompt: 'Look around.', subagent_type: 'general-purpose' };
      return [call('Agent', task, 'a1')];
    },
    { models: [model] },
  );
  const { code } = await home.run(['-p', 'MAIN TASK', '--model', model, '--dangerously-skip-permissions'], {
    env: {
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: api.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    },
  });
  await api.close();
  await receiver.close();
  expect(code).toBe(0);
  const spans = receiver.spans();
  const parents = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  const tree = spans.map(({ name, parentSpanId = '' }) => `${parents.get(parentSpanId) ?? '-'} > ${name}`);
  const agent = 'invoke_agent general-purpose';
  expect(tree.toSorted()).toEqual([
    '- > invoke_agent heddle',
    `execute_tool Agent > ${agent}`,
    `${agent} > chat ${model}`,
    `${agent} > chat ${model}`,
    `${agent} > execute_tool Bash`,
    `invoke_agent heddle > chat ${model}`,
    `invoke_agent heddle > chat ${model}`,
    'invoke_agent heddle > execute_tool Agent',
  ]);
  const bash = spans.find(({ name }) => name === 'execute_tool Bash');
  expect(seen).toContain(`00-${bash?.traceId}-${bash?.spanId}-01`);
  const tokens = receiver.metrics().findLast(({ name }) => name === 'gen_ai.client.token.usage');
  expect(listsIn(tokens, 'dataPoints').map(({ count }) => count)).toEqual(['4', '4']);
});

it('passes the span of a call to an MCP server', async () => {
  const receiver = await startReceiver();
  const home = homeFor(installed.program);
  const model = home.script([call('mcp__s__metadata', {}, 'm1'), say('Done.')]);
  const config = JSON.stringify({ mcpServers: { s: testServer('s') } });
  const flags = ['--mcp-config', config, '--allowed-tools', 'mcp__s__*', '--model', model];
  const { stdout } = await home.run(['-p', 'go', '--output-format', 'stream-json', '--verbose', ...flags], {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
  });
  await receiver.close();
  const tool = receiver.spans().find(({ name }) => name === 'execute_tool mcp__s__metadata');
  expect(stdout).toContain(`00-${tool?.traceId}-${tool?.spanId}-01`);
});

it('sends content only if it is asked to, and joins the trace of its caller', async () => {
  const receiver = await startReceiver();
  const trace = '0af7651916cd43dd8448eb211c80319c';
  await runTurn({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    TRACEPARENT: `00-${trace}-b7ad6b7169203331-01`,
  });
  await receiver.close();
  const spans = receiver.spans();
  expect(receiver.metrics()).toEqual([]);
  expect(spans.find(({ name }) => name === 'invoke_agent heddle')).toMatchObject({
    traceId: trace,
    parentSpanId: 'b7ad6b7169203331',
    attributes: { 'gen_ai.input.messages': expect.stringContaining('my prompt') },
  });
  expect(spans.find(({ name }) => name === 'execute_tool Bash')?.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': expect.stringContaining('secret text'),
    'gen_ai.tool.call.result': expect.stringContaining('secret text'),
  });
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).toContain('All is done.');
});

it('finishes a turn as usual when the receiver rejects, is away, or never answers', async () => {
  for (const status of [500, 0]) {
    const receiver = await startReceiver(status);
    const { stderr } = await runTurn({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    expect(receiver.requests.length).toBeGreaterThan(0);
    await receiver.close();
    expect(stderr.match(/Telemetry is not delivered/g)).toHaveLength(1);
    const away = await runTurn({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    expect(away.stderr).toContain('cannot be reached');
  }
  const { stderr } = await runTurn({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
  expect(stderr).toContain('Telemetry is off: OTEL_EXPORTER_OTLP_PROTOCOL is grpc');
});

it('sends nothing when the SDK is disabled, or when both signals are excluded', async () => {
  const receiver = await startReceiver();
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  await runTurn({ ...endpoint, OTEL_SDK_DISABLED: 'true' });
  await runTurn({ ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' });
  await receiver.close();
  expect(receiver.requests).toEqual([]);
});

it('loads nothing of telemetry by default', async () => {
  const own = await installCopy();
  const files = globSync(path.join(path.dirname(own.program), '../dist/chunks/open-telemetry-*.js'));
  expect(files).toHaveLength(1);
  for (const file of files) rmSync(file);
  const run = (env: Readonly<Record<string, string>>) => {
    const home = homeFor(own.program);
    return home.run(['-p', 'go', '--model', home.script([say('Done.')])], { env });
  };
  const off = await run({});
  // The file is needed as soon as telemetry is on.
  const on = await run({ OTEL_TRACES_EXPORTER: 'otlp' });
  own.remove();
  expect(off).toMatchObject({ code: 0, stderr: '' });
  expect(on.code).not.toBe(0);
});
