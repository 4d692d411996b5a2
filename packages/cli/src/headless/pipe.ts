/** What came through the pipe; nothing where a person sits at the keyboard. */
import { fstatSync } from 'node:fs';

/** A prompt that is already there does not wait longer than this for a pipe that may never say anything. */
const SILENT_PIPE_MS = 1_000;

export async function readPipe(hasPrompt: boolean): Promise<string | undefined> {
  if (process.stdin.isTTY || !isPipeOrFile()) return undefined;
  process.stdin.setEncoding('utf8');
  let text = '';
  const end = new Promise<'ended'>((resolve) => {
    process.stdin.on('data', (chunk: string) => {
      text += chunk;
    });
    process.stdin.once('end', () => resolve('ended')).once('error', () => resolve('ended'));
  });
  if (!hasPrompt) {
    await end;
    return text;
  }
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silent'>((resolve) => {
    timer = setTimeout(() => resolve('silent'), SILENT_PIPE_MS);
  });
  const first = await Promise.race([end, silence]);
  clearTimeout(timer);
  if (first === 'silent' && text !== '') await end;
  process.stdin.destroy();
  return text;
}

/** A program that starts us may leave standard input open and never write to it: only pipes, sockets and files count. */
function isPipeOrFile(): boolean {
  try {
    const about = fstatSync(0);
    return about.isFIFO() || about.isFile() || about.isSocket();
  } catch {
    return false;
  }
}
