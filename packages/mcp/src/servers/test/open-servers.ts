/** Opens servers for a test, and calls their tools like the loop does. */
import { type ClientServices, McpServers, type ServerConfig, type ServersDeps } from '../../index.ts';
import { readConfig } from '../../config/server-config.ts';

const opened: McpServers[] = [];
/** For `afterEach`. */
export async function closeServers(): Promise<void> {
  await Promise.all(opened.splice(0).map((servers) => servers.close()));
}

interface Setup {
  readonly services?: ClientServices;
  readonly times?: ServersDeps['times'];
  readonly isDenied?: ServersDeps['isDenied'];
  readonly whyWaiting?: ServersDeps['whyWaiting'];
}

export function openServers(
  configs: Readonly<Record<string, object>>,
  { services = {}, times, isDenied, whyWaiting }: Setup = {},
): McpServers {
  const servers = new McpServers(
    Object.entries(configs).map(([name, entry]) => ({ name, config: configOf(entry), scope: 'user' })),
    {
      version: '0',
      environment: { PATH: process.env['PATH'] ?? '' },
      variables: {},
      cwd: import.meta.dirname,
      services,
      isDenied,
      whyWaiting,
      admitImages: (content) => Promise.resolve(content),
      storeFile: (data, extension) => Promise.resolve(`/files/${data.length}.${extension}`),
      ...(times ? { times } : {}),
    },
  );
  opened.push(servers);
  return servers;
}

function configOf(entry: object): ServerConfig {
  const config = readConfig(entry);
  if (typeof config === 'string') throw new Error(config);
  return config;
}

/** Opens servers, and waits until they are connected or have failed. */
export async function connectServers(
  configs: Readonly<Record<string, object>>,
  setup?: Setup,
): Promise<McpServers> {
  const servers = openServers(configs, setup);
  await servers.settle(30_000);
  return servers;
}

const signal = (): AbortSignal => new AbortController().signal;

/** Calls a tool like the loop does, and returns its text or its error. */
export async function callTool(
  servers: McpServers,
  name: string,
  input: object = {},
  given = signal(),
): Promise<string> {
  await servers.find(name, given);
  const tool = servers.tools.find((one) => one.name === name);
  if (!tool) return `no tool ${name}`;
  const context = { signal: given, toolUseId: 'c1' };
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tool uses these fields only
    const { data } = await tool.call(
      { ...input },
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tool uses these fields only
      context as unknown as Parameters<typeof tool.call>[1],
      () => undefined,
    );
    return data.map((part) => (part.type === 'text' ? part.text : String(part.type))).join('\n');
  } catch (thrown) {
    return `error: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}
