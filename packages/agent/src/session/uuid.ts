/**
 * New ids. Node's `crypto` module takes 8 ms to load, a tenth of the time until the first request, so that the ids of a
 * start come from the system's own source of randomness. A system without that file uses the module.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

const SOURCE = '/dev/urandom';
const ID_BYTES = 16;
const POOL_BYTES = 64 * ID_BYTES;

let pool: Buffer = Buffer.alloc(0);

/** Returns a random UUID (version 4). */
export function newUuid(): string {
  if (pool.length < ID_BYTES) {
    const bytes = randomBytes();
    if (bytes === undefined) return randomUUID();
    pool = bytes;
  }
  const id = pool.subarray(0, ID_BYTES);
  pool = pool.subarray(ID_BYTES);
  id[6] = ((id[6] ?? 0) & 0x0f) | 0x40;
  id[8] = ((id[8] ?? 0) & 0x3f) | 0x80;
  const hex = id.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function randomBytes(): Buffer | undefined {
  try {
    const file = openSync(SOURCE, 'r');
    try {
      const bytes = Buffer.alloc(POOL_BYTES);
      return readSync(file, bytes) === POOL_BYTES ? bytes : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
