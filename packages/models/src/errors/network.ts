/** Describes why a connection failed, with advice. */
import type { ModelError } from '@heddle/core';
import type { Secrets } from '../secrets/secrets.ts';
import { omitUndefined } from '@heddle/core';

export interface Connection {
  /** The address as the user wrote it. */
  readonly origin: string;
  /** True if the user set the address. Otherwise it is the address of the API. */
  readonly isOwnAddress: boolean;
}

interface Cause {
  readonly says: string;
  /** The cause persists until the user changes something, so a retry cannot help. */
  readonly isLasting?: true;
}

const UNTRUSTED: Cause = {
  says: 'its certificate is not trusted. If you use a proxy or gateway, name its certificate in NODE_EXTRA_CA_CERTS',
  isLasting: true,
};
const NOT_VALID_NOW: Cause = {
  says: 'its certificate is not valid at this time. Check the date of this machine',
  isLasting: true,
};
const NO_TLS: Cause = {
  says: 'the other side does not speak TLS. Check whether the address begins with http: rather than https:',
  isLasting: true,
};
const HUNG_UP: Cause = { says: 'the connection was closed by the other side or by the network' };
const UNREACHABLE: Cause = { says: 'there is no way to it. Check the network' };
const TOO_SLOW: Cause = { says: 'it took too long to connect. Check the network' };

const CAUSES: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: { says: 'nothing listens there. Check the address, and whether the server runs' },
  ECONNRESET: HUNG_UP,
  ECONNABORTED: HUNG_UP,
  EPIPE: HUNG_UP,
  HPE_INVALID_EOF_STATE: HUNG_UP,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENETDOWN: UNREACHABLE,
  ETIMEDOUT: TOO_SLOW,
  EAI_AGAIN: { says: 'its name could not be looked up just now. Check the network' },
  ENOTFOUND: { says: 'its name is not known. Check the address and the network' },
  CERT_HAS_EXPIRED: NOT_VALID_NOW,
  CERT_NOT_YET_VALID: NOT_VALID_NOW,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    says: 'its certificate belongs to another host. Check the address',
    isLasting: true,
  },
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_PROXY_TUNNEL: { says: 'the proxy did not let it through. Check HTTPS_PROXY and NO_PROXY' },
  ERR_PROXY_INVALID_CONFIG: {
    says: 'the proxy setting cannot be read. Check HTTP_PROXY and HTTPS_PROXY',
    isLasting: true,
  },
};

/** `stage` completes "The connection … failed" or names the interrupted operation. */
export function networkError(
  thrown: unknown,
  { origin, isOwnAddress }: Connection,
  secrets: Secrets,
  requestId?: string,
): ModelError {
  const { code, message } = described(thrown);
  const cause =
    CAUSES[code] ??
    (code.startsWith('HPE_') ? { says: 'the answer is not HTTP. Check the address' } : undefined);
  const why = cause?.says ?? message;
  // The API's own name is correct, so a failed lookup means that the network is down. Any other name may be
  // misspelled.
  const isLasting =
    cause?.isLasting === true || (code === 'ENOTFOUND' && isOwnAddress) || refusedByProxy(thrown);
  return {
    type: 'model_error',
    class: 'network',
    message: secrets.redact(`No connection to ${origin}: ${why}${code === '' ? '' : ` (${code})`}.`),
    ...omitUndefined({ requestId }),
    ...(isLasting ? { shouldRetry: false } : {}),
  };
}

function described(thrown: unknown): { readonly code: string; readonly message: string } {
  if (!(thrown instanceof Error)) return { code: '', message: String(thrown) };
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  return { code, message: thrown.message };
}

/** A proxy that answered with a rejection will do so again. One that closed the connection may not. */
function refusedByProxy(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return false;
  return typeof thrown.statusCode === 'number' && thrown.statusCode >= 400 && thrown.statusCode < 500;
}
