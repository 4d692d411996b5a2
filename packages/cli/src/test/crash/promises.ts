/** What is promised whenever the program is killed, checked against what was seen from outside. */
import { readFileSync } from 'node:fs';
import { decode } from '@heddle/agent';
import { type Entry, queryConfig, replayLogEntries } from '@heddle/core';
import { linesOf, type Ended, type OutputLine } from '../program.ts';
import { EFFECTS, PROMPT } from './story.ts';

export interface Evidence {
  /** All lives of the session, the undisturbed one last. */
  readonly lives: readonly Ended[];
  readonly journal: string;
  readonly effects: readonly string[];
  /** The messages of the last request. */
  readonly lastRequest: unknown;
  /** What the record said that the test itself has cut off: nobody can keep what was taken away. */
  readonly excused: Excused;
}

export interface Excused {
  readonly uuids: ReadonlySet<string>;
  readonly effects: ReadonlySet<string>;
}

/** The promises that were broken, in sentences; none is what we want. */
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

/** A prompt is accepted once the program has said so, or has stored it. */
export function wasAccepted(first: Ended, journal: string | undefined): boolean {
  const said = linesOf(first.stdout).some((line) => line['subtype'] === 'init');
  return said || (journal !== undefined && journal.includes(PROMPT) && journal.includes('\n'));
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

/** However often it was interrupted, the log is a walk of the machine. */
function impossibleSteps(entries: readonly Entry[]): string[] {
  const config = queryConfig({ sessionId: '', gates: { autoCompact: false, reactiveCompact: false } });
  return replayLogEntries(entries, config).mismatches.map(
    ({ run, iteration, recorded }) => `run ${run}, iteration ${iteration} cannot have decided ${recorded}`,
  );
}

/** What the model was heard to say is still in front of it. */
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
    const told = resultFor(lastRequest, id);
    if (count > 1) return [`${id} took effect ${count} times`];
    if (count === 1 && told === undefined)
      return [`${id} took effect and the conversation does not mention it`];
    if (count === 1 && /had no effect|Nothing was changed/.test(told ?? ''))
      return [`${id} took effect and the model was told that it did not`];
    if (count === 0 && told !== undefined && !/is_error":true/.test(told))
      return [`${id} did not take effect and the model was told that it did`];
    return [];
  });
}

/** The result that the model was given for a call, as JSON. */
function resultFor(messages: unknown, id: string): string | undefined {
  const said: readonly unknown[] = Array.isArray(messages) ? messages : [];
  return said
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
    const decoded = decode(line);
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
