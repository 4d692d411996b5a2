/**
 * A provider expects some data back with its own output: an item id, encrypted reasoning, a signature. The
 * history stores it as the signature of a thinking block, marked with the provider. Any other provider
 * omits it.
 */
import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { isRecord } from '@heddle/core';

export type Metadata = SharedV4ProviderMetadata;

const MARK = 'heddle-bridge';

export function signMetadata(provider: string, metadata: Metadata): string {
  return `${MARK}:${provider}:${JSON.stringify(metadata)}`;
}

/** Returns undefined if another provider or program signed it. */
export function readSignature(provider: string, signature: string): Metadata | undefined {
  const prefix = `${MARK}:${provider}:`;
  if (!signature.startsWith(prefix)) return undefined;
  try {
    const metadata: unknown = JSON.parse(signature.slice(prefix.length));
    return isMetadata(metadata) ? metadata : undefined;
  } catch {
    return undefined;
  }
}

/** Adds later fragments of one block to earlier ones, provider by provider. */
export function mergeMetadata(left: Metadata, right: Metadata | undefined): Metadata {
  if (right === undefined) return left;
  const both: Metadata = { ...left };
  for (const [provider, fields] of Object.entries(right)) both[provider] = { ...both[provider], ...fields };
  return both;
}

/**
 * Returns the metadata of a text or call that must be kept. An item id alone is not kept: it names an item
 * stored on the server, and requests disable storage.
 */
export function selectKeptMetadata(metadata: Metadata | undefined): Metadata | undefined {
  if (metadata === undefined) return undefined;
  const fields = Object.values(metadata).flatMap((provider) => Object.entries(provider));
  const isKept = fields.some(([name, value]) => name !== 'itemId' && value !== undefined && value !== null);
  return isKept ? metadata : undefined;
}

function isMetadata(value: unknown): value is Metadata {
  return isRecord(value) && Object.values(value).every(isRecord);
}
