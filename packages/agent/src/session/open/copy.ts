/** A session's file under another name, and without the lines that cannot be read. Whole or not at all. */
import { copyFileSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { decodeLine } from '../codec/read.ts';
import { wholeLength, wholeLines } from '../files/lines.ts';
import { fileHistoryFolder, sessionFile, sessionFolder, type SessionPlace } from '../files/paths.ts';
import { writeFileWhole } from '../files/write.ts';

export function copySession(from: string, to: string): void {
  viaDraft(to, (draft) => copyFileSync(from, draft));
}

/** With all that it took along. */
export function discardCopy(place: SessionPlace, id: string): void {
  for (const part of [
    sessionFile(place, id),
    fileHistoryFolder(place.configDir, id),
    sessionFolder(place, id),
  ])
    rmSync(part, { recursive: true, force: true });
}

export function dropDamagedLines(file: string): void {
  const bytes = readFileSync(file);
  const readable = [...wholeLines(bytes)].filter((line) =>
    decodeLine(line).every(({ kind }) => kind !== 'damaged'),
  );
  const torn = bytes.subarray(wholeLength(bytes));
  const kept = Buffer.from(readable.map((line) => `${line}\n`).join(''));
  viaDraft(file, (draft) => writeFileWhole(draft, Buffer.concat([kept, torn]), true));
}

/** Under another name first: a crash or a full disk must not leave half of it. */
function viaDraft(file: string, write: (draft: string) => void): void {
  const draft = `${file}.${process.pid}`;
  try {
    rmSync(draft, { force: true });
    write(draft);
    renameSync(draft, file);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}
