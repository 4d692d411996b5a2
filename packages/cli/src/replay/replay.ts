/**
 * `heddle replay SESSION`: feeds the recorded events of a session to the state machine again, without a model, and shows
 * each decision. The exit code is 0 if the machine makes the recorded decisions, else 1.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import {
  findSessionFile,
  hasDiverged,
  type ReplayedLog,
  replayLog,
  sessionName,
} from '@heddle/agent/sessions';
import { UsageError } from '../arguments/list-flags.ts';
import { pick, place } from '../sessions/pick.ts';
import { escapeControls, jsonText } from '../terminal/escape-controls.ts';
import { fail, misuse, writeMessage } from '../terminal/write-message.ts';
import { textLines } from './text.ts';

const USAGE = `heddle replay SESSION [--json] [--from STEP] [--verbose]

Feeds the recorded events of a session to the state machine again and shows each step: the event, the decision and the
guards. SESSION is an id, its beginning, a title, or a .jsonl file. No tool runs, and no model is called.

  --json       prints one JSON object per line
  --from STEP  shows only this step and later ones; all steps are checked
  --verbose    also shows the log entries of each iteration and the state of the machine
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
    return misuse(thrown.message);
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
    else if (word.startsWith('-')) throw new UsageError(`unknown flag ${word}. See heddle replay --help.`);
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
  if (!found.ok) return fail(found.message);
  const replayed = replayLog(found.file);
  if (typeof replayed === 'string') return fail(replayed);
  if (json) for (const line of jsonLines(replayed, from)) writeMessage(`${line}\n`);
  else
    for (const line of textLines(replayed, { from, verbose, columns: columns() }))
      writeMessage(`${escapeControls(line)}\n`);
  return hasDiverged(replayed) ? 1 : 0;
}

/** Lines are cut to the width of a terminal, but not in a file. */
function columns(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
}

export type FoundLog =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly message: string };

export function findLog(name: string): FoundLog {
  if (name.endsWith('.jsonl') || name.includes(path.sep)) {
    return isFile(name) ? { ok: true, file: name } : { ok: false, message: `there is no file ${name}` };
  }
  // A summary needs the whole log, so a name that is an id is looked up among the files first.
  const byId = findSessionFile(name, place());
  if (byId) return { ok: true, file: byId.path };
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
      for (const { loop: turn, event, guards, decision } of steps) {
        if (++number < from) continue;
        const { loop: _next, ...decided } = decision;
        yield jsonText({
          type: 'step',
          step: number,
          ...place,
          turn,
          happened: event,
          guards,
          decision: decided,
        });
      }
      const outcome = { verdict, recorded: recorded.decided ?? null, instead };
      yield jsonText({ type: 'iteration', ...place, ...outcome, ...(settings === '' ? {} : { settings }) });
    }
  }
}
