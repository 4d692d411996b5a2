/** The file that a call would change, as it is now. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';

/** A file larger than this is not read to be shown. */
const MAX_BYTES = 2_000_000;
const CHANGING: ReadonlySet<string> = new Set(['Write', 'Edit']);

export function currentText(tool: string, input: JsonObject, cwd: string): string | undefined {
  const file = input['file_path'];
  if (!CHANGING.has(tool) || typeof file !== 'string') return undefined;
  try {
    const place = path.resolve(cwd, file);
    const about = statSync(place);
    return about.isFile() && about.size <= MAX_BYTES ? readFileSync(place, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
