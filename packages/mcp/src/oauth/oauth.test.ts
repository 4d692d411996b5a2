/** Logins: stored tokens, and the redirect of a browser to this machine. The conformance suite tests the whole flow. */
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
  it('is accepted with the right state only, and ends the wait', async () => {
    const callback = await openCallback();
    const waiting = callback.wait('right', AbortSignal.timeout(20_000));
    expect((await fetch(`${callback.url}?code=bad&state=wrong`)).status).toBe(200);
    expect((await fetch(callback.url.replace('callback', 'other'))).status).toBe(404);
    await fetch(`${callback.url}?code=good&state=right`);
    expect((await waiting).get('code')).toBe('good');
    callback.close();
  });

  it('with an error is reported, and a missing one ends at the deadline', async () => {
    const callback = await openCallback();
    const refused = callback.wait('s', AbortSignal.timeout(20_000)).catch(String);
    await fetch(`${callback.url}?error=access_denied&error_description=no&state=s`);
    expect(await refused).toContain('The login was refused: no');
    await expect(callback.wait('other', AbortSignal.timeout(10))).rejects.toThrow('not completed in time');
    callback.close();
  });
});
