/** The log of the session that is meant: a file, an id, or the beginning of one. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

export type Found =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly message: string };

export function findSession(name: string, configDir: string): Found {
  if (name.endsWith('.jsonl') || name.includes(path.sep)) {
    return isFile(name) ? { ok: true, file: name } : { ok: false, message: `there is no file ${name}` };
  }
  const logs = logsIn(path.join(configDir, 'projects')).filter((file) =>
    path.basename(file).startsWith(name),
  );
  const exact = logs.filter((file) => path.basename(file) === `${name}.jsonl`);
  const [file, ...others] = exact.length > 0 ? exact : logs;
  if (name === '' || file === undefined) return { ok: false, message: `no session begins with ${name}` };
  if (others.length === 0) return { ok: true, file };
  const choice = [file, ...others].slice(0, SHOWN).join('\n  ');
  return { ok: false, message: `several sessions begin with ${name}:\n  ${choice}` };
}

const SHOWN = 10;

function logsIn(projects: string): string[] {
  return namesIn(projects).flatMap((project) => {
    const folder = path.join(projects, project);
    return namesIn(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => path.join(folder, name));
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // No folder, or a file among the folders: no sessions there.
    return [];
  }
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
