/** Telemetry of the program. It is on if a provider is registered in this process, or if the usual `OTEL_*` variables ask for it. */
import { VERSION } from '@heddle/agent';
import { AgentTelemetry, connectToApi, type TelemetryPort } from '@heddle/agent/telemetry';
import { type Environment, readVariable } from '@heddle/models/environment';
import { modelEnvironment } from '../keys.ts';
import { knownSecrets } from '../known-secrets.ts';
import { OtlpExporter, type ExporterSetup } from './otlp-exporter.ts';

export interface ProgramTelemetry {
  readonly agent: AgentTelemetry;
  /** Sends the rest, with a deadline. */
  readonly close: () => Promise<void>;
}

/** The program waits this long for the receiver when it ends. */
const CLOSE_LIMIT_MS = 2_000;
const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** Returns undefined if telemetry is off. `tell` shows the user a problem, once. */
export async function openTelemetry(
  modelName: string,
  notify: (text: string) => void,
): Promise<ProgramTelemetry | undefined> {
  const environment = modelEnvironment();
  if (isTrue(environment, 'OTEL_SDK_DISABLED')) return undefined;
  const opened = hasRegisteredProvider()
    ? { port: await connectToApi(), close: () => Promise.resolve() }
    : openExporter(environment, notify);
  if (!opened) return undefined;
  const redactContent = isTrue(environment, 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')
    ? (text: string): string => knownSecrets.redact(text)
    : undefined;
  return { agent: new AgentTelemetry({ port: opened.port, modelName, redactContent }), close: opened.close };
}

function openExporter(
  environment: Environment,
  notify: (text: string) => void,
): { readonly port: TelemetryPort; readonly close: () => Promise<void> } | undefined {
  const traces = endpointOf(environment, 'TRACES');
  const metrics = endpointOf(environment, 'METRICS');
  if (traces === undefined && metrics === undefined) return undefined;
  const problem = problemIn(environment, [traces, metrics]);
  if (problem !== undefined) {
    notify(`Telemetry is off: ${problem}.`);
    return undefined;
  }
  const headers = readPairs(environment, 'OTEL_EXPORTER_OTLP_HEADERS');
  knownSecrets.add(...Object.values(headers));
  const setup: ExporterSetup = {
    traces,
    metrics,
    headers,
    version: VERSION,
    resource: resourceOf(environment),
    parent: readVariable(environment, 'TRACEPARENT'),
    onFailure: notify,
  };
  const port = new OtlpExporter(setup);
  return { port, close: () => port.close(CLOSE_LIMIT_MS) };
}

/** Returns the address for a signal. Undefined if the variables do not ask for the signal, or exclude it. */
function endpointOf(environment: Environment, signal: 'TRACES' | 'METRICS'): string | undefined {
  const exporter = readVariable(environment, `OTEL_${signal}_EXPORTER`);
  if (exporter !== undefined && exporter !== 'otlp') return undefined;
  const own = readVariable(environment, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  if (own !== undefined) return own;
  const common = readVariable(environment, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  if (common === undefined && exporter === undefined) return undefined;
  return `${(common ?? DEFAULT_ENDPOINT).replace(/(?<!\/)\/+$/, '')}/v1/${signal.toLowerCase()}`;
}

function problemIn(environment: Environment, urls: readonly (string | undefined)[]): string | undefined {
  const protocol = readVariable(environment, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== undefined && protocol !== 'http/json')
    return `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, and Heddle sends only http/json`;
  const wrong = urls.find((url) => url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''));
  return wrong === undefined ? undefined : `${wrong} is not an HTTP address`;
}

function resourceOf(environment: Environment): Readonly<Record<string, string>> {
  const name = readVariable(environment, 'OTEL_SERVICE_NAME');
  return {
    'service.name': 'heddle',
    'service.version': VERSION,
    ...readPairs(environment, 'OTEL_RESOURCE_ATTRIBUTES'),
    ...(name === undefined ? {} : { 'service.name': name }),
  };
}

/** Reads `name=value,name=value`. Values are percent-encoded. */
function readPairs(environment: Environment, variable: string): Record<string, string> {
  const pairs = (readVariable(environment, variable) ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    return name === '' ? [] : [[name, decodeValue(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function isTrue(environment: Environment, variable: string): boolean {
  return readVariable(environment, variable)?.toLowerCase() === 'true';
}

/** `@opentelemetry/api` keeps registered providers under this key, for all copies of the package in a process. */
function hasRegisteredProvider(): boolean {
  const registered: unknown = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'));
  return typeof registered === 'object' && registered !== null && 'trace' in registered;
}
