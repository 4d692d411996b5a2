/** A log and the machine's walk through it. */
import { readFileSync } from 'node:fs';
import { decode } from '@heddle/agent';
import { type Entry, recordedRuns } from '@heddle/core';
import { type TracedRun, traceWithSettings } from './settings.ts';

export interface Replayed {
  readonly file: string;
  readonly entries: readonly Entry[];
  /** Lines of the log that could not be read. */
  readonly damaged: number;
  readonly runs: readonly TracedRun[];
}

/** Answers with a sentence where there is nothing to replay. */
export function replayLog(file: string): Replayed | string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    return `${file} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
  const entries: Entry[] = [];
  let damaged = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const decoded = decode(line);
    if (decoded.kind === 'entry') entries.push(decoded.entry);
    if (decoded.kind === 'damaged') damaged++;
  }
  if (entries.length === 0) return `${file} holds no session`;
  return { file, entries, damaged, runs: [...recordedRuns(entries)].map(traceWithSettings) };
}

export function sessionName(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/\.jsonl$/, '');
}

export function hasParted({ runs }: Replayed): boolean {
  return runs.some(({ iterations }) => iterations.some(({ verdict }) => verdict === 'parted'));
}
