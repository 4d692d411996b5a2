import { writeSync } from 'node:fs';
import { errorCode } from '@heddle/core';

export function writeMessage(text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
    } catch (thrown) {
      const code = errorCode(thrown);
      if (code === 'EPIPE') process.exit(0);
      if (code !== 'EAGAIN') throw thrown;
    }
  }
}
