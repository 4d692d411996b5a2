/** A log and the machine's walk through it. */
import { decodedLines } from '@heddle/agent/sessions';
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
  const entries: Entry[] = [];
  let damaged = 0;
  try {
    for (const decoded of decodedLines(file)) {
      if (decoded.kind === 'entry') entries.push(decoded.entry);
      if (decoded.kind === 'damaged') damaged++;
    }
  } catch (thrown) {
    return `${file} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
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
