/** The user's own editor for a long prompt. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type ExternalEdit =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** Its terminal is ours: nobody else may read keys or write meanwhile. Only its user ends it. */
export async function editOutside(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ExternalEdit> {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-prompt-'));
  const file = path.join(folder, 'prompt.md');
  const listenAgain = ignoreInterrupts();
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // A shell reads it: it may hold words of its own, as `code --wait`.
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    const { promise, resolve } = Promise.withResolvers<number | null>();
    child.once('error', () => resolve(null)).once('exit', resolve);
    if ((await promise) !== 0) return { ok: false, message: `${editor} failed; the line is as it was` };
    return { ok: true, text: readFileSync(file, 'utf8').replace(/\n$/, '') };
  } finally {
    listenAgain();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ctrl-C reaches every process of the terminal, and is meant for the editor alone. */
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
