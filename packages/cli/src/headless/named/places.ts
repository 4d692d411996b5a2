/** Files and folders that the command line names. A typing error there is told, not passed over. */
import { readFileSync, statSync } from 'node:fs';
import type { RunOptions } from '../../arguments.ts';
import { promptHint } from '../../list-flags.ts';

/** What is wrong with them; undefined: nothing. */
export function wrongPlace({
  addDirs,
  settings,
}: Pick<RunOptions, 'addDirs' | 'settings'>): string | undefined {
  const missing = addDirs.find(
    (folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true,
  );
  if (missing !== undefined)
    return `--add-dir: there is no folder ${missing}${missing.includes(' ') ? `. ${promptHint('--add-dir')}` : ''}`;
  return settings === undefined ? undefined : wrongSettings(settings);
}

function wrongSettings(settings: string): string | undefined {
  const isJson = settings.trimStart().startsWith('{');
  try {
    JSON.parse(isJson ? settings : readFileSync(settings, 'utf8').replace(/^\uFEFF/, ''));
    return undefined;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return `--settings: ${isJson ? 'it' : settings} cannot be used: ${why}`;
  }
}
