/**
 * Loaded into the program before it starts: kills it, with SIGKILL, at the nth byte that it writes to its journal or to its
 * standard output. The bytes before that one are written, so a record may be torn at any place.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [where, at = ''] = (process.env['HEDDLE_CRASH_AT'] ?? '').split(':');
let left = Number(at);
const journals = new Set<number>();
const { openSync, writeSync } = fs;

function crashingOpen(...given: Parameters<typeof openSync>): number {
  const descriptor = openSync(...given);
  if (String(given[0]).endsWith('.jsonl') && given[1] === 'a') journals.add(descriptor);
  return descriptor;
}

function crashingWrite(descriptor: number, bytes: Uint8Array, offset = 0): number {
  const counts = where === 'stdout' ? descriptor === 1 : journals.has(descriptor);
  const length = bytes.length - offset;
  if (!counts || length < left) {
    const written = writeSync(descriptor, bytes, offset);
    if (counts) left -= written;
    return written;
  }
  if (left > 0) writeSync(descriptor, bytes, offset, left);
  process.kill(process.pid, 'SIGKILL');
  return 0;
}

if (where === 'stdout' || where === 'journal') {
  Object.assign(fs, { openSync: crashingOpen, writeSync: crashingWrite });
  syncBuiltinESMExports();
}
