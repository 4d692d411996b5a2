/** Logins: stored tokens, and the redirect of a browser to this machine. The conformance suite tests the whole flow. */
import { get } from 'node:http';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCallback } from './oauth-callback.ts';
import { StoredOAuth } from './stored-oauth.ts';
import { TokenStore } from './token-store.ts';

const fileIn = (): string => path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-oauth-')), 'sub/auth.json');

const TOKENS = { access_token: 'secret', token_type: 'Bearer' };

describe('stored tokens', () => {
  it('are in a file that only the user can read, also after a change', () => {
    const file = fileIn();
    const store = new TokenStore(file);
    store.change('a', { tokens: TOKENS });
    store.change('b', { tokens: TOKENS });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(new TokenStore(file).read('a')).toEqual({ tokens: TOKENS });
    expect(store.remove('a')).toBe(true);
    expect(store.remove('a')).toBe(false);
    expect(readFileSync(file, 'utf8')).not.toContain('"a"');
  });

  it('belong to a name and an address: another address does not get them', () => {
    const store = new TokenStore(fileIn());
    const config = { type: 'http', url: 'https://a.example/mcp', headers: {} } as const;
    new StoredOAuth({ name: 's' }, config, store).saveTokens(TOKENS);
    expect(new StoredOAuth({ name: 's' }, config, store).tokens()).toEqual(TOKENS);
    const moved = { ...config, url: 'https://b.example/mcp' };
    expect(new StoredOAuth({ name: 's' }, moved, store).tokens()).toBeUndefined();
  });
});

describe('the redirect of a login', () => {
  it('is accepted once, with the right state, and others change nothing', async () => {
    const callback = await openCallback();
    const status = async (query: string, init?: RequestInit): Promise<number> =>
      (await fetch(`${callback.url}${query}`, init)).status;
    expect(await status('?code=early&state=right')).toBe(400);
    callback.expect('right');
    const waiting = callback.wait(AbortSignal.timeout(20_000));
    expect(await status('?code=bad&state=wrong')).toBe(400);
    expect(await status('?code=bad')).toBe(400);
    expect(await status('?code=bad&state=right', { method: 'POST' })).toBe(404);
    expect((await fetch(callback.url.replace('callback', 'other'))).status).toBe(404);
    expect(await foreignHost(`${callback.url}?code=bad&state=right`)).toBe(404);
    const page = await fetch(`${callback.url}?code=good&state=right&x=<script>`);
    expect(await page.text()).not.toContain('script');
    expect(await status('?code=again&state=right')).toBe(400);
    expect((await waiting).get('code')).toBe('good');
    callback.close();
  });

  it('with an error is reported without escape sequences, and a missing one ends at the deadline', async () => {
    const callback = await openCallback();
    callback.expect('s');
    const refused = callback.wait(AbortSignal.timeout(20_000)).catch(String);
    await fetch(`${callback.url}?error=access_denied&error_description=%1b[2Jno%0Await&state=s`);
    expect(await refused).toBe('Error: The login was refused: no wait');
    callback.expect('other');
    await expect(callback.wait(AbortSignal.timeout(10))).rejects.toThrow('not completed in time');
    callback.close();
  });

  it('is only received on this machine', async () => {
    const callback = await openCallback();
    expect(new URL(callback.url).hostname).toBe('127.0.0.1');
    callback.close();
  });
});

/** The status of a request that a name of another site led here. */
function foreignHost(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { host: 'evil.example' } }, ({ statusCode }) => resolve(statusCode)).once(
      'error',
      reject,
    );
  });
}
