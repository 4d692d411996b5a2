import { describe, expect, it } from 'vitest';
import { Secrets } from '../secrets/secrets.ts';
import { networkError } from './network.ts';

const OWN = { origin: 'https://gateway.test', isOwnAddress: true };
const API = { origin: 'https://api.anthropic.com', isOwnAddress: false };

function withCode(code: string, details: object = {}): Error {
  return Object.assign(new Error(`it failed with ${code}`), { code }, details);
}

describe('the cause of a failed connection', () => {
  it.each([
    ['ECONNREFUSED', /nothing listens/, undefined],
    ['ECONNRESET', /closed/, undefined],
    ['EPIPE', /closed/, undefined],
    ['ETIMEDOUT', /too long/, undefined],
    ['EHOSTUNREACH', /no way/, undefined],
    ['EAI_AGAIN', /looked up just now/, undefined],
    ['ENOTFOUND', /name is not known/, false],
    ['CERT_HAS_EXPIRED', /date of this machine/, false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /NODE_EXTRA_CA_CERTS/, false],
    ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/, false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/, false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /another host/, false],
    ['EPROTO', /does not speak TLS/, false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS/, false],
    ['ERR_PROXY_TUNNEL', /proxy/, undefined],
    ['HPE_INVALID_CONSTANT', /not HTTP/, undefined],
  ])('%s includes advice', (code, words, shouldRetry) => {
    const error = networkError(withCode(code), OWN, new Secrets());
    expect(error).toMatchObject({ class: 'network' });
    expect(error.message).toMatch(words);
    expect(error.message).toContain(`https://gateway.test`);
    expect(error.message).toContain(`(${code})`);
    expect(error.shouldRetry).toBe(shouldRetry);
  });

  it('is retried if the name of the API itself cannot be resolved: the network is down', () => {
    expect(networkError(withCode('ENOTFOUND'), API, new Secrets()).shouldRetry).toBeUndefined();
  });

  it.each([
    [407, false],
    [503, undefined],
  ])('is, for a proxy that answered %i, retried: %s', (statusCode, shouldRetry) => {
    const error = networkError(withCode('ERR_PROXY_TUNNEL', { statusCode }), OWN, new Secrets());
    expect(error.shouldRetry).toBe(shouldRetry);
  });

  it('is reported in its own words if it is unknown', () => {
    expect(networkError(new Error('boom'), OWN, new Secrets()).message).toBe(
      'No connection to https://gateway.test: boom.',
    );
    expect(networkError('thrown', OWN, new Secrets()).message).toContain('thrown');
  });
});
