/**
 * Collects garbage after work that reads a whole log. V8 would first let the heap grow, up to twice the size that is in use. The
 * server runs beside other programs for hours, so it keeps its memory small instead.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Work that reads this number of bytes leaves about as much garbage. */
const BYTES_BETWEEN = 24 * 1024 * 1024;

let collect: (() => void) | undefined;
let bytesSince = 0;

/** Takes about 30 ms for the log of a long session. */
export function releaseMemory(): void {
  bytesSince = 0;
  if (!collect) {
    setFlagsFromString('--expose-gc');
    const gc: unknown = runInNewContext('gc');
    collect = typeof gc === 'function' ? () => void Reflect.apply(gc, undefined, []) : () => undefined;
    setFlagsFromString('--no-expose-gc');
  }
  collect();
}

/** Counts bytes of a log that were read, and releases memory now and then. */
export function countRead(bytes: number): void {
  bytesSince += bytes;
  if (bytesSince > BYTES_BETWEEN) releaseMemory();
}
