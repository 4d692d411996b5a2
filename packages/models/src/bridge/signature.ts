/**
 * What a provider wants back with its own words (an item's id, encrypted reasoning, a signature of thoughts) travels in our
 * history as the signature of a thinking block, marked with the provider it belongs to. Any other provider leaves it out.
 */
import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';

export type Metadata = SharedV4ProviderMetadata;

const MARK = 'heddle-bridge';

export function sign(provider: string, metadata: Metadata): string {
  return `${MARK}:${provider}:${JSON.stringify(metadata)}`;
}

/** Undefined where another provider, or another program, signed it. */
export function signedBy(provider: string, signature: string): Metadata | undefined {
  const prefix = `${MARK}:${provider}:`;
  if (!signature.startsWith(prefix)) return undefined;
  try {
    const metadata: unknown = JSON.parse(signature.slice(prefix.length));
    return isMetadata(metadata) ? metadata : undefined;
  } catch {
    return undefined;
  }
}

/** Later pieces of one block add to earlier ones, provider by provider. */
export function merged(left: Metadata, right: Metadata | undefined): Metadata {
  if (right === undefined) return left;
  const both: Metadata = { ...left };
  for (const [provider, fields] of Object.entries(right)) both[provider] = { ...both[provider], ...fields };
  return both;
}

/**
 * What is worth keeping of a text's or a call's metadata. An item's id alone is not: it names something that the server
 * would have stored, and we ask it to store nothing.
 */
export function worthKeeping(metadata: Metadata | undefined): Metadata | undefined {
  if (metadata === undefined) return undefined;
  const fields = Object.values(metadata).flatMap((provider) => Object.entries(provider));
  const isKept = fields.some(([name, value]) => name !== 'itemId' && value !== undefined && value !== null);
  return isKept ? metadata : undefined;
}

function isMetadata(value: unknown): value is Metadata {
  return isObject(value) && Object.values(value).every(isObject);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
