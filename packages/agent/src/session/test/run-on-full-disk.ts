/** Run by `full-disk.ts` under a limit of 64 KiB a file. Prints what came of it. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { EntryBody } from '@heddle/core';
import { newSession, type Session } from '../open/open.ts';
import { sessionOf, user } from './session-home.ts';

const [scenario, folder = ''] = process.argv.slice(2);
const place = { configDir: folder, cwd: folder };
const session = sessionOf(
  newSession({ place, version: 'test', durability: 'process', now: () => 0 }, 'full'),
);
const failed: string[] = [];
let reason = '';

function append(name: string, body: EntryBody): void {
  try {
    session.journal.append(body);
  } catch (thrown) {
    failed.push(name);
    reason = thrown instanceof Error ? thrown.message : String(thrown);
  }
}

if (scenario === 'append-after-failure') {
  append('u1', user('u1', 'x'.repeat(40_000)));
  append('big', user('big', 'y'.repeat(40_000)));
  append('u2', user('u2', 'small'));
  const text = textOf(session);
  print({ failed, reason, lines: uuidsIn(text), endsWithLine: text.endsWith('\n') });
} else {
  append('u1', user('u1'));
  append('blob', user('blob', 'z'.repeat(200_000)));
  append('u2', user('u2'));
  const blobs = path.join(path.dirname(session.journal.path ?? ''), 'blobs');
  print({ failed, blobs: readdirSync(blobs), lines: uuidsIn(textOf(session)) });
}

function textOf({ journal }: Session): string {
  return readFileSync(journal.path ?? '', 'utf8');
}

function uuidsIn(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => /"uuid":"([^"]*)"/.exec(line)?.[1]);
}

function print(report: object): void {
  process.stdout.write(JSON.stringify(report));
}
