/** Finds the lines of a file that are worth parsing, by their bytes. */
import { LineFile, wholeLength } from '../files/lines.ts';
import { jsonEscaped, type TextMatcher } from './matcher.ts';

const CHUNK = 4 * 1024 * 1024;
const NEW_LINE = 0x0a;

/** How a line ends that gave up its long texts: they can hold what is searched for, too. */
export const STORED_APART = 'storedApart":true';

export function* likelyLines(path: string, matcher: TextMatcher): Generator<string> {
  const file = new LineFile(path);
  const wanted = bytePattern(matcher);
  try {
    let read = 0;
    for (let size = CHUNK; read < file.size; ) {
      const end = Math.min(file.size, read + size);
      const bytes = file.read(read, end);
      // The last line may lack its end; it is as good as any other.
      const whole = end === file.size ? bytes.length : wholeLength(bytes);
      if (bytes.length === 0) return;
      if (whole > 0) yield* linesWith(wanted, bytes.subarray(0, whole));
      else size *= 2;
      read += whole;
    }
  } finally {
    file.close();
  }
}

/** A byte is a letter here: what is found is a place among the bytes. */
function* linesWith(wanted: RegExp, bytes: Buffer): Generator<string> {
  const letters = bytes.toString('latin1');
  wanted.lastIndex = 0;
  for (let match = wanted.exec(letters); match; match = wanted.exec(letters)) {
    const start = bytes.lastIndexOf(NEW_LINE, match.index) + 1;
    const found = bytes.indexOf(NEW_LINE, match.index);
    const end = found < 0 ? bytes.length : found;
    if (end > start) yield bytes.toString('utf8', start, end);
    wanted.lastIndex = end + 1;
    if (end + 1 >= bytes.length) return;
  }
}

function bytePattern({ needle, ignoresCase }: TextMatcher): RegExp {
  const plain = needle === undefined || !ignoresCase ? needle : plainRun(needle);
  // Anything: the next place is where the next line begins.
  if (plain === undefined || plain === '') return /[^\n]/g;
  const letters = Buffer.from(plain).toString('latin1');
  return new RegExp(`${jsonEscaped(letters)}|${jsonEscaped(STORED_APART)}`, ignoresCase ? 'gi' : 'g');
}

/** The longest run of ASCII: only there is a byte a letter, and its capital another byte. */
function plainRun(needle: string): string {
  // oxlint-disable-next-line no-control-regex -- all of ASCII is meant
  const runs = needle.match(/[\u0000-\u007f]+/g) ?? [];
  return runs.reduce((best, run) => (run.length > best.length ? run : best), '');
}
