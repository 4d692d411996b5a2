/** What came of a command, in the few lines that tell it: how a success ended, and why a failure failed. Pure. */
import { counted } from '../amounts.ts';

export interface Told {
  readonly lines: readonly string[];
  /** A word about the whole: how much more there was, where it is kept. */
  readonly note?: string;
}

/** So many lines of an output are shown. */
const SHOWN = 3;
/** Where the end of an output is looked at for what tells how it went. */
const END = 8;

/** `lines`: the result without empty ones. */
export function commandTold(lines: readonly string[], isError: boolean): Told {
  const { output, ending, notes, kept } = parted(lines);
  const background = /in the background as task (\w+)/.exec(ending ?? '')?.[1];
  if (background !== undefined) return { lines: [`runs in the background: /tasks ${background}`] };
  if (ending?.startsWith('Interrupted')) {
    const last = output.slice(-1);
    return withRest({ head: ['Interrupted'], shown: last, all: output, kept });
  }
  const head = ending === undefined ? [] : [ending];
  if (!isError) return withRest({ head, shown: endOf(output), all: output, kept, notes });
  return withRest({ head, shown: causeOf(output), all: output, kept, notes });
}

interface Parts {
  /** What the command itself wrote. */
  readonly output: readonly string[];
  /** How it ended, where that is worth a word. */
  readonly ending: string | undefined;
  /** What is said about it besides. */
  readonly notes: readonly string[];
  /** How much it was and where it is, where not all of it is here. */
  readonly kept: string | undefined;
}

const ENDING = /^(Exit code \d|Ended by |Ended because |Interrupted; |Nothing was run|The shell could not)/;
const IN_BACKGROUND = /in the background as task \w+/;
const GAP = /^… (.+) in all, the middle left out(?:; the whole is in (.+))? …$/;

function parted(lines: readonly string[]): Parts {
  const at = lines.findLastIndex((line) => ENDING.test(line) || IN_BACKGROUND.test(line));
  const written = at < 0 ? lines : lines.slice(0, at);
  const [, size, file] = written.map((line) => GAP.exec(line)).find((match) => match !== null) ?? [];
  return {
    output: written.filter((line) => !GAP.test(line) && line !== '(no output)'),
    ending: lines[at],
    notes: at < 0 ? [] : lines.slice(at + 1),
    kept: size === undefined ? undefined : file === undefined ? size : `${size}, kept in ${file}`,
  };
}

interface Choice {
  readonly head: readonly string[];
  readonly shown: readonly string[];
  readonly all: readonly string[];
  readonly kept: string | undefined;
  readonly notes?: readonly string[];
}

function withRest({ head, shown, all, kept, notes = [] }: Choice): Told {
  const lines = [...head, ...notes, ...shown];
  const others = all.length - shown.length;
  const note = kept ?? (others > 0 ? counted(others, 'more line') : undefined);
  return { lines: lines.length === 0 ? ['no output'] : lines, ...(note === undefined ? {} : { note }) };
}

const RESULT =
  /\b(pass(ed|ing|es)?|fail(ed|ures?|ing|s)?|errors?|warnings?|tests?|success(ful)?|built|compiled|added|created|found)\b/i;

/** Of a success the last line, and what near it sums up. */
function endOf(output: readonly string[]): readonly string[] {
  if (output.length <= SHOWN) return output;
  const end = output.slice(-END);
  const telling = end.slice(0, -1).filter((line) => RESULT.test(line));
  return [...telling.slice(1 - SHOWN), ...end.slice(-1)];
}

const CAUSE =
  /^\s*(\S*(Error|Exception)\b|\S*: error\b|error\b|fatal\b|panic\b|npm (error|ERR!)|FAIL\b|[✗×✖] |not ok\b|AssertionError)/i;
const COMPLAINT =
  /\b(error|fail(ed|ure)?|cannot|can't|could not|not found|no such|denied|missing|undefined|expected|refused|unknown|invalid)\b/i;
/** True of every failure of its kind, so it tells nothing. */
const NOISE =
  /^(Node\.js v\d|node:internal|\s+at |npm (error|ERR!) *(\w*\s*$|code |errno |syscall |path |\w+ This is related|A complete log)|.*complete log of this run)/;

/** Of a failure the first lines that name a cause; where none does, the last ones. */
function causeOf(output: readonly string[]): readonly string[] {
  if (output.length <= SHOWN) return output;
  const said = output.filter((line) => !NOISE.test(line));
  const causes = said.filter((line) => CAUSE.test(line));
  if (causes.length > 0) return causes.slice(0, SHOWN);
  const complaints = said.filter((line) => COMPLAINT.test(line));
  return complaints.length > 0 ? complaints.slice(0, SHOWN) : said.slice(-SHOWN);
}
