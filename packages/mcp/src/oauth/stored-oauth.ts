/**
 * The OAuth side of a connection: stored tokens, registration of the client, and a login with a browser. Without a
 * `login`, a server that needs one is reported as `needs-auth`.
 */
import { randomUUID } from 'node:crypto';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { ConfiguredServer, RemoteConfig } from '../config/server-config.ts';
import type { OAuthCallback } from './oauth-callback.ts';
import { TokenStore } from './token-store.ts';
import { omitUndefined } from '@heddle/core';

export interface BrowserLogin {
  readonly callback: OAuthCallback;
  /** Shows the address to the user, and opens it. */
  readonly open: (url: string) => void | Promise<void>;
}

/** A transport that exchanges the code of a redirect for tokens. */
interface FinishesAuth {
  finishAuth(params: URLSearchParams): Promise<void>;
}

const LOGIN_LIMIT_MS = 5 * 60_000;

/** The address of a document about this client, for servers that accept one in place of a registration. */
export type ClientMetadataUrl = string | undefined;

export class StoredOAuth implements OAuthClientProvider {
  readonly #store: TokenStore;
  readonly #key: string;
  readonly #config: RemoteConfig;
  readonly #login: BrowserLogin | undefined;
  readonly clientMetadataUrl?: string;
  #verifier: string | undefined;
  #isRedirected = false;

  constructor(
    { name }: Pick<ConfiguredServer, 'name'>,
    config: RemoteConfig,
    store: TokenStore,
    login?: BrowserLogin,
    clientMetadataUrl?: ClientMetadataUrl,
  ) {
    this.#store = store;
    this.#key = TokenStore.keyOf(name, config.url);
    this.#config = config;
    this.#login = login;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  get redirectUrl(): string {
    const { callbackPort } = this.#config.oauth ?? {};
    return this.#login?.callback.url ?? `http://127.0.0.1:${callbackPort ?? 0}/callback`;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope } = this.#config.oauth ?? {};
    return {
      client_name: 'Heddle',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...omitUndefined({ scope }),
    };
  }

  /** Each login has its own state. The callback accepts a redirect with this state only. */
  state(): string {
    const state = randomUUID();
    this.#login?.callback.expect(state);
    return state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.#config.oauth ?? {};
    if (clientId === undefined) return this.#store.read(this.#key).client;
    return { client_id: clientId, ...omitUndefined({ client_secret: clientSecret }) };
  }

  /** A registration without a login would be for a redirect that never comes. */
  saveClientInformation(client: StoredOAuthClientInformation): void {
    if (this.#login) this.#store.change(this.#key, { client });
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#store.read(this.#key).tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#store.change(this.#key, { tokens });
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (!this.#login || !/^https?:$/.test(url.protocol)) return;
    this.#isRedirected = true;
    await this.#login.open(url.href);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    if (this.#verifier === undefined) throw new Error('There is no login under way.');
    return this.#verifier;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all') this.#store.remove(this.#key);
    if (scope === 'client') this.#store.change(this.#key, { client: undefined });
    if (scope === 'tokens') this.#store.change(this.#key, { tokens: undefined });
    if (scope === 'all' || scope === 'verifier') this.#verifier = undefined;
  }

  /** Waits for the user and stores the tokens. Returns false if no login was started. */
  async finish(transport: FinishesAuth, signal: AbortSignal): Promise<boolean> {
    if (!this.#login || !this.#isRedirected) return false;
    this.#isRedirected = false;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LOGIN_LIMIT_MS)]);
    await transport.finishAuth(await this.#login.callback.wait(limit));
    return true;
  }
}
