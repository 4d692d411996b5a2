/**
 * `heddle replay SESSION`: feeds what a session's log recorded to the machine again, without a model, and shows each decision.
 * Ends with 0 where the machine decides what was recorded, and with 1 where it does not.
 */
import { Refused } from '../flags.ts';
import { harmless } from '../terminal/harmless.ts';
import { say } from '../terminal/say.ts';
import { findLog } from './find-log.ts';
import { jsonLines } from './json.ts';
import { hasParted, replayLog } from './replayed.ts';
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

export async function replay(argv: readonly string[]): Promise<number> {
  if (argv.join(' ') === 'help') {
    say(USAGE);
    return 0;
  }
  try {
    return run(readWords(argv));
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    process.stderr.write(`heddle: ${harmless(thrown.message)}\n`);
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
    else if (word.startsWith('-')) throw new Refused(`unknown flag ${word}; see heddle replay --help`);
    else words.push(word);
  }
  if (!/^[1-9]\d*$/.test(from)) throw new Refused(`--from takes the number of a step, not ${from}`);
  const [session, ...more] = words;
  if (session === undefined || more.length > 0)
    throw new Refused('usage: heddle replay SESSION [--json] [--from STEP] [--verbose]');
  return { session, json, verbose, from: Number(from) };
}

function run({ session, json, from, verbose }: ReplayCommand): number {
  const found = findLog(session);
  if (!found.ok) return failed(found.message);
  const replayed = replayLog(found.file);
  if (typeof replayed === 'string') return failed(replayed);
  if (json) for (const line of jsonLines(replayed, from)) say(`${line}\n`);
  else
    for (const line of textLines(replayed, { from, verbose, columns: columns() })) say(`${harmless(line)}\n`);
  return hasParted(replayed) ? 1 : 0;
}

/** Lines for a terminal are cut to its width; a file gets all of them. */
function columns(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
}

function failed(message: string): number {
  process.stderr.write(`heddle: ${harmless(message)}\n`);
  return 1;
}
