/**
 * Loaded into the program before it starts: kills it, with SIGKILL, at the nth byte that it writes to its journal or to its
 * standard output. The bytes before that one are written, so a record may be torn at any place.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [where, at = ''] = (process.env['HEDDLE_CRASH_AT'] ?? '').split(':');
let left = Number(at);

/** Passes bytes to `write` until the limit is reached. */
function passing(bytes: Uint8Array, write: (bytes: Uint8Array) => number): number {
  if (bytes.length < left) {
    const written = write(bytes);
    left -= written;
    return written;
  }
  if (left > 0) write(bytes.subarray(0, left));
  process.kill(process.pid, 'SIGKILL');
  return 0;
}

if (where === 'journal') watchJournal();
if (where === 'stdout') watchOutput();

function watchJournal(): void {
  const { openSync, writeSync } = fs;
  const journals = new Set<number>();
  Object.assign(fs, {
    openSync(...given: Parameters<typeof openSync>): number {
      const descriptor = openSync(...given);
      if (String(given[0]).endsWith('.jsonl') && given[1] === 'a') journals.add(descriptor);
      return descriptor;
    },
    writeSync(descriptor: number, bytes: Uint8Array, offset = 0): number {
      if (!journals.has(descriptor)) return writeSync(descriptor, bytes, offset);
      return passing(bytes.subarray(offset), (part) => writeSync(descriptor, part));
    },
  });
  syncBuiltinESMExports();
}

function watchOutput(): void {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  Object.assign(stdout, {
    write(text: string): boolean {
      let hasRoom = true;
      passing(Buffer.from(text), (part) => {
        // Writes synchronously, because the rest of the line will never follow.
        if (part.length < Buffer.byteLength(text)) fs.writeSync(1, part);
        else hasRoom = write(part);
        return part.length;
      });
      return hasRoom;
    },
  });
}
