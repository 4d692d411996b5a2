/**
 * `heddle replay SESSION`: feeds what a session's log recorded to the machine again, without a model, and shows each decision.
 * Ends with 0 where the machine decides what was recorded, and with 1 where it does not.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../arguments/list-flags.ts';
import { pick } from '../sessions/pick.ts';
import { escapeControls, jsonText } from '../terminal/escape-controls.ts';
import { writeMessage } from '../terminal/write-message.ts';
import { hasDiverged, type ReplayedLog, replayLog, sessionName } from './replayed.ts';
import { textLines } from './text.ts';

const USAGE = `heddle replay SESSION [--json] [--from STEP] [--verbose]

Feeds what the log of a session recorded to the loop's machine again and shows each decision: what happened, what was decided,
and what the guards said. SESSION is an id, the beginning of one, a title, or a .jsonl file. Nothing is run and no model is asked.

  --json       one JSON object a line
  --from STEP  show from this step on; everything is checked
  --verbose    also what the log says of each iteration, and the machine's state
`;

interface ReplayCommand {
  readonly session: string;
  readonly json: boolean;
  readonly from: number;
  readonly verbose: boolean;
}

export async function replayCommand(argv: readonly string[]): Promise<number> {
  if (argv.join(' ') === 'help') {
    writeMessage(USAGE);
    return 0;
  }
  try {
    return run(readWords(argv));
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    process.stderr.write(`heddle: ${escapeControls(thrown.message)}\n`);
    return 2;
  }
}

function readWords(argv: readonly string[]): ReplayCommand {
  const words: string[] = [];
  let json = false;
  let verbose = false;
  let from = '1';
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--json') json = true;
    else if (word === '--verbose') verbose = true;
    else if (word === '--from') from = argv[++at] ?? '';
    else if (word.startsWith('--from=')) from = word.slice('--from='.length);
    else if (word.startsWith('-')) throw new UsageError(`unknown flag ${word}; see heddle replay --help`);
    else words.push(word);
  }
  if (!/^[1-9]\d*$/.test(from)) throw new UsageError(`--from takes the number of a step, not ${from}`);
  const [session, ...more] = words;
  if (session === undefined || more.length > 0)
    throw new UsageError('usage: heddle replay SESSION [--json] [--from STEP] [--verbose]');
  return { session, json, verbose, from: Number(from) };
}

function run({ session, json, from, verbose }: ReplayCommand): number {
  const found = findLog(session);
  if (!found.ok) return failed(found.message);
  const replayed = replayLog(found.file);
  if (typeof replayed === 'string') return failed(replayed);
  if (json) for (const line of jsonLines(replayed, from)) writeMessage(`${line}\n`);
  else
    for (const line of textLines(replayed, { from, verbose, columns: columns() }))
      writeMessage(`${escapeControls(line)}\n`);
  return hasDiverged(replayed) ? 1 : 0;
}

/** Lines for a terminal are cut to its width; a file gets all of them. */
function columns(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
}

function failed(message: string): number {
  process.stderr.write(`heddle: ${escapeControls(message)}\n`);
  return 1;
}

export type FoundLog =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly message: string };

export function findLog(name: string): FoundLog {
  if (name.endsWith('.jsonl') || name.includes(path.sep)) {
    return isFile(name) ? { ok: true, file: name } : { ok: false, message: `there is no file ${name}` };
  }
  const picked = pick(name);
  return picked.ok ? { ok: true, file: picked.session.path } : picked;
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function* jsonLines({ file, runs, damaged }: ReplayedLog, from: number): Generator<string> {
  yield jsonText({ type: 'session', session: sessionName(file), prompts: runs.length, damaged });
  let number = 0;
  for (const [prompt, { iterations, settings }] of runs.entries()) {
    for (const [at, { steps, recorded, verdict, instead }] of iterations.entries()) {
      const place = { prompt: prompt + 1, iteration: at + 1 };
      for (const { turn, happened, guards, decision } of steps) {
        if (++number < from) continue;
        const { turn: _next, ...decided } = decision;
        yield jsonText({ type: 'step', step: number, ...place, turn, happened, guards, decision: decided });
      }
      const told = { verdict, recorded: recorded.decided ?? null, instead };
      yield jsonText({ type: 'iteration', ...place, ...told, ...(settings === '' ? {} : { settings }) });
    }
  }
}
