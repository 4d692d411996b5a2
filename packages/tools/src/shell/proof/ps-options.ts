/**
 * Decides whether `ps` may show the environment of processes. It reads its words twice: first as UNIX options, and if that fails, every
 * word as BSD options. In the first reading, `e` without a dash shows the environment. In the second one, `-e` shows it as well.
 */

/** Letters after a dash. The last one has a value, which is attached or the next word. */
const UNIX = /^-([AacdefFHjlLmMNTVwyZ]*)(?:([CGgOopqstUu])(.*))?$/s;
/** Letters without a dash, in the same form. */
const BSD = /^([a-zA-Z]*?)(?:([koOpqtU])(.*))?$/s;
const PROCESSES = /^\d+(,\d+)*$/;
/** Each of these takes no value. */
const LONG_ALONE =
  /^--(?:forest|headers?|headings?|no-?headers?|no-?headings?|version|help|info|cumulative|deselect|context)$/;
const LONG_WITH_VALUE =
  /^--(cols|columns|rows|lines|width|p?pid|quick-pid|[uU]ser|[gG]roup|tty|sid|sort|format|date-format)(?:[=:](.*))?$/s;

/** In the second reading, these options of UNIX have no value: the value is read as options. */
const VALUE_IS_READ_AGAIN = /^[ugs]$/;
/** The value is a list of columns. */
const COLUMNS = /^(?:[oO]|format)$/;
/** Letters that select columns. Beside a list of columns they are an error. */
const LISTING = /[cfFjlMPyZ]/;

interface Option {
  readonly name: string;
  /** Undefined: it is unknown. */
  readonly value: string | undefined;
}

interface FirstReading {
  /** The letters after dashes. */
  readonly letters: string;
  /** The letters without a dash. The second reading does not accept any. */
  readonly bsd: string;
  readonly options: readonly Option[];
  readonly hasForest: boolean;
  /** `failed`: the second reading takes place for certain, or for some versions. `unknown`: any options may follow. */
  readonly end: 'complete' | 'failed' | 'unknown';
}

/** Returns whether `ps` may show the environment for these words. An unknown word is undefined. */
export function mayShowEnvironment(words: readonly (string | undefined)[]): boolean {
  const read = readOnce(words);
  if (read.end === 'unknown' || read.bsd.includes('e')) return true;
  if (
    read.options.some(({ name, value }) => COLUMNS.test(name) && (value === undefined || /env/i.test(value)))
  )
    return true;
  return mayBeReadAgain(read) && words.some((word) => word === undefined || /^-[^-]*e/i.test(word));
}

/** An allow-list: all other options may fail together, so that all words are read again. */
function mayBeReadAgain({ letters, bsd, options, hasForest, end }: FirstReading): boolean {
  if (end !== 'complete') return true;
  if (options.some(({ name, value }) => VALUE_IS_READ_AGAIN.test(name) && value?.startsWith('-') === true))
    return true;
  if (bsd !== '') return false;
  const threads = new Set(letters.match(/[LmT]/g));
  const hasColumns = options.some(({ name }) => COLUMNS.test(name));
  return (
    threads.size > 1 ||
    (threads.size > 0 && hasForest) ||
    (hasColumns && LISTING.test(letters)) ||
    // It may be a list of columns or an order.
    options.some(({ name }) => name === 'O')
  );
}

function readOnce(words: readonly (string | undefined)[]): FirstReading {
  let [letters, bsd, hasForest]: [string, string, boolean] = ['', '', false];
  let end: FirstReading['end'] = 'complete';
  const options: Option[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) return { letters, bsd, options, hasForest, end: 'unknown' };
    const [isLong, , attachedToLong] = LONG_WITH_VALUE.exec(word) ?? [];
    const [isUnix, unix = '', unixOption = '', unixValue] = UNIX.exec(word) ?? [];
    const [isBsd, plain = '', bsdOption = '', bsdValue] = BSD.exec(word) ?? [];
    let option = '';
    let attached: string | undefined;
    if (isLong !== undefined) {
      option = LONG_WITH_VALUE.exec(word)?.[1] ?? '';
      attached = attachedToLong;
    } else if (LONG_ALONE.test(word)) {
      hasForest ||= word === '--forest';
    } else if (isUnix !== undefined) {
      letters += unix;
      [option, attached] = [unixOption, unixValue];
      if (VALUE_IS_READ_AGAIN.test(option) && attached !== '') end = 'failed';
    } else if (word.startsWith('--')) {
      return { letters, bsd, options, hasForest, end: 'unknown' };
    } else if (word.startsWith('-')) {
      end = 'failed';
    } else if (isBsd !== undefined) {
      bsd += plain + bsdOption;
      [option, attached] = [bsdOption, bsdValue];
    } else if (!PROCESSES.test(word)) {
      end = 'failed';
    }
    if (option === '') continue;
    const isNext = attached === undefined || attached === '';
    if (isNext && ++at >= words.length) end = 'failed';
    const value = isNext ? words[at] : attached;
    if (isNext && value === '') end = 'failed';
    options.push({ name: option, value });
  }
  return { letters, bsd, options, hasForest: hasForest || letters.includes('H'), end };
}
