/** Checks the promises for a killed program against the evidence from outside. */
import { readFileSync } from 'node:fs';
import { decodeEntry } from '@heddle/agent';
import { type Entry, queryConfig, replayLogEntries } from '@heddle/core';
import { linesOf, type Ended, type OutputLine } from '../program.ts';
import { EFFECTS, PROMPT } from './story.ts';

export interface Evidence {
  /** All runs of the session. The last one was not killed. */
  readonly lives: readonly Ended[];
  readonly journal: string;
  readonly effects: readonly string[];
  /** The messages of the last request. */
  readonly lastRequest: unknown;
  /** The contents of the record that the test cut off. They may be missing. */
  readonly excused: Excused;
}

export interface Excused {
  readonly uuids: ReadonlySet<string>;
  readonly effects: ReadonlySet<string>;
}

/** Returns the broken promises as sentences. */
export function brokenPromises(evidence: Evidence): string[] {
  const { lives, excused } = evidence;
  const last = lives.at(-1);
  const entries = entriesIn(evidence.journal);
  return [
    ...(typeof entries === 'string'
      ? [entries]
      : [...lostLines(lives, entries, excused), ...impossibleSteps(entries)]),
    ...lostTexts(evidence),
    ...wrongEffects(evidence),
    ...(JSON.stringify(evidence.lastRequest).includes(PROMPT) ? [] : ['the prompt was lost']),
    ...(last?.code === 0 ? [] : [`the last life ended with ${last?.code} ${last?.signal}: ${last?.stderr}`]),
    ...(lastLine(last)?.['type'] === 'result' ? [] : ['the last life ended without a result']),
  ];
}

/** A prompt is accepted after the program has reported or stored it. */
export function wasAccepted(first: Ended, journal: string | undefined): boolean {
  const hasStarted = linesOf(first.stdout).some((line) => line['subtype'] === 'init');
  return hasStarted || (journal !== undefined && journal.includes(PROMPT) && journal.includes('\n'));
}

function lostLines(lives: readonly Ended[], entries: readonly Entry[], excused: Excused): string[] {
  const stored = new Set(entries.map((entry) => ('message' in entry ? uuidOf(entry.message) : undefined)));
  return lives
    .flatMap(({ stdout }) => linesOf(stdout))
    .filter(({ type }) => type === 'assistant' || type === 'user')
    .map(uuidOf)
    .filter((uuid) => uuid !== undefined && !stored.has(uuid) && !excused.uuids.has(uuid))
    .map((uuid) => `the line ${uuid} was shown and is not in the log`);
}

/** Checks that the log is a valid path through the state machine. */
function impossibleSteps(entries: readonly Entry[]): string[] {
  const config = queryConfig({ sessionId: '', gates: { autoCompact: false, reactiveCompact: false } });
  return replayLogEntries(entries, config).mismatches.map(
    ({ run, iteration, recorded }) => `run ${run}, iteration ${iteration} cannot have decided ${recorded}`,
  );
}

/** Checks that the next request contains every text of the model that was shown. */
function lostTexts({ lives, lastRequest, excused }: Evidence): string[] {
  const known = JSON.stringify(lastRequest);
  return lives
    .slice(0, -1)
    .flatMap(({ stdout }) => linesOf(stdout))
    .filter((line) => !excused.uuids.has(uuidOf(line) ?? ''))
    .flatMap((line) => JSON.stringify(line['message'] ?? '').match(/\[said \d+\]/g) ?? [])
    .filter((mark) => !known.includes(mark))
    .map((mark) => `what was shown as ${mark} is not in the next request`);
}

function wrongEffects({ effects, lastRequest, excused }: Evidence): string[] {
  return EFFECTS.flatMap((id) => {
    if (excused.effects.has(id)) return [];
    const count = effects.filter((effect) => effect === id).length;
    const result = resultFor(lastRequest, id);
    if (count > 1) return [`${id} took effect ${count} times`];
    if (count === 1 && result === undefined)
      return [`${id} took effect and the conversation does not mention it`];
    if (count === 1 && /had no effect|Nothing was changed/.test(result ?? ''))
      return [`${id} took effect and the model was told that it did not`];
    if (count === 0 && result !== undefined && !/is_error":true/.test(result))
      return [`${id} did not take effect and the model was told that it did`];
    return [];
  });
}

/** Returns the result of a call in the request, as JSON. */
function resultFor(messages: unknown, id: string): string | undefined {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  return list
    .flatMap((message): readonly unknown[] =>
      typeof message === 'object' &&
      message !== null &&
      'content' in message &&
      Array.isArray(message.content)
        ? message.content
        : [],
    )
    .map((block) => JSON.stringify(block))
    .find((block) => block.includes(`"tool_use_id":"${id}"`));
}

function entriesIn(journal: string): Entry[] | string {
  const entries: Entry[] = [];
  for (const line of readFileSync(journal, 'utf8').trimEnd().split('\n')) {
    const decoded = decodeEntry(line);
    if (decoded.kind !== 'entry') return `a line of the log is ${decoded.kind}: ${line.slice(0, 200)}`;
    entries.push(decoded.entry);
  }
  return entries;
}

function lastLine(ended: Ended | undefined): OutputLine | undefined {
  return ended && linesOf(ended.stdout).at(-1);
}

function uuidOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return 'uuid' in value && typeof value.uuid === 'string' ? value.uuid : undefined;
}
