/** The adapter for the Messages API. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { ModelError, ModelPort, ModelRecord, ModelRecords, ModelRequest } from '@heddle/core';
import { proxySecrets } from '../secrets/environment.ts';
import { Secrets } from '../secrets/secrets.ts';
import { Transport } from '../transport/transport.ts';
import { MessagesAttempt, type AnthropicDeps } from './attempt.ts';
import { betasOf, BodyWriter } from './request-body.ts';
import { CredentialSource, type KeySource } from './credentials.ts';
import { type AnthropicOptions, API_URL, type Settings, settingsOf } from './options.ts';

export interface AnthropicPort extends ModelPort {
  readonly keySource: KeySource;
  /**
   * Opens a connection while the program is still starting. Contract: may be called at any time; needs no
   * cleanup.
   */
  preconnect(): void;
  /**
   * Closes all connections. Only tests and long-lived hosts need it: idle connections do not keep a
   * process alive.
   */
  close(): void;
}

export function createAnthropicPort(options: AnthropicOptions = {}): AnthropicPort {
  const settings = settingsOf(options);
  const secrets = options.secrets ?? new Secrets();
  const credentials = new CredentialSource(settings, secrets);
  const url = addressOf(settings);
  const { environment, extraCaFile } = settings;
  if (url === undefined) return withoutClient(credentials.source, settings.baseUrl);
  secrets.add(...proxySecrets(settings.environment), url.password, ...Object.values(settings.headers));
  const deps: AnthropicDeps = {
    settings,
    connection: { origin: url.origin, isOwnAddress: settings.baseUrl !== API_URL },
    secrets,
    credentials,
    transport: new Transport({ url, environment, extraCaFile }),
    bodies: new BodyWriter(),
    headersFor: ({ options }, proof, length) => headersOf(settings, betasOf(options), proof, length),
  };
  const port = (request: ModelRequest, signal: AbortSignal): ModelRecords => {
    const attempt = new MessagesAttempt(deps, request, signal);
    attempt.start();
    return attempt.records;
  };
  return Object.assign(port, {
    searchesWeb: true,
    keySource: credentials.source,
    preconnect: () => void deps.transport.preconnect(),
    close: () => deps.transport.close(),
  });
}

function headersOf(
  { headers, environment }: Settings,
  betas: readonly string[],
  proof: OutgoingHttpHeaders,
  length: number,
): OutgoingHttpHeaders {
  return {
    'content-type': 'application/json',
    'content-length': length,
    accept: 'text/event-stream, application/json',
    'anthropic-version': '2023-06-01',
    'user-agent': userAgent(environment),
    ...(betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }),
    ...headers,
    ...proof,
  };
}

/** A host may name its own program. Other characters are not allowed in a header. */
function userAgent({ CLAUDE_AGENT_SDK_CLIENT_APP: app = '' }: Settings['environment']): string {
  const name = app.replaceAll(/[^\x20-\x7e]|[()]/g, '').trim();
  return name === '' ? 'heddle/0.1.0' : `heddle/0.1.0 (client-app/${name})`;
}

function addressOf({ baseUrl }: Settings): URL | undefined {
  const url = URL.parse(baseUrl);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/**
 * Redacts an address that cannot be parsed. A login ends at the last @, and a query may contain a token.
 */
function withoutLogin(address: string): string {
  return address.replace(/^([a-z][\w+.-]*:\/\/)?.*@/is, '$1').replace(/[?#].*$/s, '');
}

function withoutClient(keySource: KeySource, baseUrl: string): AnthropicPort {
  const message = `ANTHROPIC_BASE_URL is not the address of a server: ${new Secrets().redact(withoutLogin(baseUrl))}. It begins with https:// or http://.`;
  const error: ModelError = { type: 'model_error', class: 'bad_request', message };
  async function* port(): AsyncGenerator<ModelRecord> {
    yield error;
  }
  return Object.assign(port, { keySource, preconnect: () => undefined, close: () => undefined });
}
