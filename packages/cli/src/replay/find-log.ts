/** The log of the session that is meant: a file, or whatever `heddle sessions` finds it by. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { pick } from '../sessions/pick.ts';

export type Found =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly message: string };

export function findLog(name: string): Found {
  if (name.endsWith('.jsonl') || name.includes(path.sep)) {
    return isFile(name) ? { ok: true, file: name } : { ok: false, message: `there is no file ${name}` };
  }
  const picked = pick(name);
  return picked.ok ? { ok: true, file: picked.session.path } : picked;
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
