/** Edits a long prompt in the external editor of the user. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { environmentIn } from '@heddle/core';
import { makeTemporaryFolder, removeTemporaryFolder } from '@heddle/tools/files';
import { temporaryParent } from '../../config-dir.ts';
import { startFolder } from '../../start-folder.ts';

export type ExternalEdit =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** Runs the editor in the same terminal. The caller must not read keys or write until it ends. */
export async function editOutside(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd = startFolder(process.cwd()),
): Promise<ExternalEdit> {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
  const folder = makeTemporaryFolder('prompt', temporaryParent(env));
  const file = path.join(folder, 'prompt.md');
  const listenAgain = ignoreInterrupts();
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // The shell splits the command, because it may contain arguments, such as `code --wait`.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], {
      cwd,
      env: { ...environmentIn(cwd, process.env) },
      stdio: 'inherit',
    });
    const { promise, resolve } = Promise.withResolvers<number | null>();
    child.once('error', () => resolve(null)).once('exit', resolve);
    if ((await promise) !== 0) return { ok: false, message: `${editor} failed; the line is unchanged` };
    return { ok: true, text: readFileSync(file, 'utf8').replace(/\n$/, '') };
  } finally {
    listenAgain();
    removeTemporaryFolder(folder);
  }
}

/** Ctrl-C reaches every process of the terminal, but only the editor should handle it. */
function ignoreInterrupts(): () => void {
  const listeners = process.listeners('SIGINT');
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  for (const listener of listeners) process.off('SIGINT', listener);
  return () => {
    for (const listener of listeners) process.on('SIGINT', listener);
    process.off('SIGINT', ignore);
  };
}
