/** The beginning of a regular file. What is no file, or cannot be read, is as good as absent. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

export interface SmallFile {
  readonly text: string;
  /** Bytes of the whole file. */
  readonly size: number;
}

/** A pipe under the name of a file must not make the program wait for ever. Not defined on every platform. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export function readSmallFile(file: string, mostBytes: number): SmallFile | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, READ);
    const about = fstatSync(descriptor);
    if (!about.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(about.size, mostBytes));
    const length = readSync(descriptor, bytes);
    return { text: bytes.toString('utf8', 0, length), size: about.size };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
