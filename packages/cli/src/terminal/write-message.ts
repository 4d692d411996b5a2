import { writeSync } from 'node:fs';

export function writeMessage(text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
    } catch (thrown) {
      const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
      if (code === 'EPIPE') process.exit(0);
      if (code !== 'EAGAIN') throw thrown;
    }
  }
}
