/** Markdown files with a YAML header. Simple headers are read here; the YAML library is loaded only for the others. */
import { errorMessage, isRecord } from '@heddle/core';

export interface FileProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** The line of a key in the header of a file; the first line if the key is absent. */
export function lineOfKey(text: string, key: string): number {
  const at = text.split(/\r?\n/).findIndex((line) => line.startsWith(`${key}:`));
  return at < 0 ? 1 : at + 1;
}

export interface MarkdownFile {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly problems: readonly FileProblem[];
}

/** A file whose header is too long. Without the header, it would have tools that its author took away, so it is not used. */
export interface RejectedFile {
  readonly rejected: FileProblem;
}

type Fields = Record<string, unknown>;

/** Characters of a header. The YAML library takes up to 20 microseconds for each of them. */
const MAX_HEADER = 20_000;
/** Characters of all headers of a folder that need the YAML library. */
export const MAX_YAML_HEADERS = 150_000;

const TOO_LONG: RejectedFile = {
  rejected: { line: 1, message: `The header is longer than ${MAX_HEADER} characters. The file is ignored.` },
};

const FENCE = /^---[ \t]*$/;

/** Reads the files of one folder. */
export class MarkdownReader {
  readonly #mostYaml: number;
  #yaml = 0;

  /** `mostYaml`: characters of all headers that need the YAML library. */
  constructor(mostYaml = Infinity) {
    this.#mostYaml = mostYaml;
  }

  /** Never throws. A header that is not valid YAML is read line by line, and each bad line is reported. */
  async read(text: string): Promise<MarkdownFile | RejectedFile> {
    const { header, body, isUnclosed } = splitHeader(text);
    if (header === undefined) return { fields: {}, body, problems: isUnclosed ? [UNCLOSED] : [] };
    const length = lengthOf(header);
    if (length > MAX_HEADER) return TOO_LONG;
    const simple = readSimpleHeader(header);
    if (simple !== undefined) return { fields: simple, body, problems: [] };
    this.#yaml += length;
    if (this.#yaml <= this.#mostYaml) return { body, ...(await readYamlHeader(header)) };
    const message = `The headers of this folder that are not simple have more than ${this.#mostYaml} characters. The file is ignored.`;
    return { rejected: { line: 1, message } };
  }
}

/** Reads a file without waiting for the YAML library: a header that is not simple is read line by line. */
export function readMarkdownFileSync(text: string): MarkdownFile | RejectedFile {
  const { header, body, isUnclosed } = splitHeader(text);
  if (header === undefined) return { fields: {}, body, problems: isUnclosed ? [UNCLOSED] : [] };
  if (lengthOf(header) > MAX_HEADER) return TOO_LONG;
  return { fields: readSimpleHeader(header) ?? readLeniently(header), body, problems: [] };
}

function lengthOf(header: readonly string[]): number {
  return header.reduce((sum, line) => sum + line.length + 1, 0);
}

const UNCLOSED: FileProblem = { line: 1, message: 'The header that starts here has no closing "---" line.' };

interface SplitFile {
  /** Undefined: the file has none. */
  readonly header: readonly string[] | undefined;
  readonly body: string;
  readonly isUnclosed: boolean;
}

export function splitHeader(text: string): SplitFile {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!FENCE.test(lines[0] ?? '')) return { header: undefined, body: lines.join('\n'), isUnclosed: false };
  const end = lines.findIndex((line, at) => at > 0 && FENCE.test(line));
  if (end < 0) return { header: undefined, body: lines.join('\n'), isUnclosed: true };
  return { header: lines.slice(1, end), body: lines.slice(end + 1).join('\n'), isUnclosed: false };
}

/** Reads flat keys with scalars and lists of scalars. Undefined: the header needs the YAML library. */
function readSimpleHeader(lines: readonly string[]): Fields | undefined {
  const fields: Fields = {};
  let list: unknown[] | undefined;
  for (const line of lines) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const item = /^\s+-\s+(.*)$/.exec(line) ?? /^-\s+(.*)$/.exec(line);
    if (item) {
      const value = readScalar(item[1] ?? '');
      if (list === undefined || value === undefined) return undefined;
      list.push(value.value);
      continue;
    }
    const pair = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line);
    const [, key, rest = ''] = pair ?? [];
    if (key === undefined || Object.hasOwn(fields, key)) return undefined;
    list = undefined;
    if (rest.trim() === '') {
      list = [];
      fields[key] = list;
      continue;
    }
    const value = readSentence(key, rest.trim()) ?? readInlineList(rest.trim()) ?? readScalar(rest)?.value;
    if (value === undefined) return undefined;
    fields[key] = value;
  }
  // A key without a value is null in YAML; only the items below it make it a list.
  for (const [key, value] of Object.entries(fields)) {
    if (Array.isArray(value) && value.length === 0) fields[key] = null;
  }
  return fields;
}

/** Keys whose value is a sentence. Authors write it without quotes, also where YAML would need them: `[file] [name]`, `Use when: …`. */
const SENTENCES: ReadonlySet<string> = new Set([
  'description',
  'argument-hint',
  'when_to_use',
  'when-to-use',
]);

function readSentence(key: string, text: string): string | undefined {
  if (!SENTENCES.has(key) || /^["'|>&*!%@`]/.test(text) || /\s#/.test(text)) return undefined;
  return text;
}

function readInlineList(text: string): unknown[] | undefined {
  if (!/^\[[^\]]+\]$/.test(text)) return undefined;
  const items = text.slice(1, -1).match(LIST_ITEM) ?? [];
  // Everything between the brackets is an item or a comma.
  if (text.slice(1, -1).replace(LIST_ITEM, '').replace(/[\s,]/g, '') !== '') return undefined;
  const values = items.filter((item) => item.trim() !== '').map((item) => readScalar(item));
  return values.every((value) => value !== undefined) ? values.map(({ value }) => value) : undefined;
}

const LIST_ITEM = /"[^"\\]*"|'[^']*'|[^,'"[\]{}#]+/g;

function readScalar(text: string): { readonly value: unknown } | undefined {
  const trimmed = text.trim();
  if (/^"[^"\\]*"$/.test(trimmed) || /^'[^']*'$/.test(trimmed)) return { value: trimmed.slice(1, -1) };
  // Characters with a meaning in YAML, at the start or inside.
  if (trimmed === '' || /^[-?:,[\]{}#&*!|>'"%@`]/.test(trimmed) || /:(?:\s|$)|\s#/.test(trimmed))
    return undefined;
  if (/^(?:true|false)$/i.test(trimmed)) return { value: trimmed.toLowerCase() === 'true' };
  if (/^(?:null|~)$/i.test(trimmed)) return { value: null };
  if (/^[-+]?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(trimmed)) return { value: Number(trimmed) };
  // Other spellings of numbers and booleans differ between YAML versions.
  if (/^[-+.\d]/.test(trimmed) && !/[^\d.eExXoO_+:-]/.test(trimmed)) return undefined;
  return { value: trimmed };
}

async function readYamlHeader(header: readonly string[]): Promise<Omit<MarkdownFile, 'body'>> {
  const { LineCounter, parseDocument, visit } = await import('yaml');
  const counter = new LineCounter();
  // Without `prettyErrors: false`, each of many errors would quote its line.
  const options = {
    lineCounter: counter,
    uniqueKeys: false,
    logLevel: 'silent',
    prettyErrors: false,
  } as const;
  let wrongLine = 2;
  const read = plainValue(() => {
    const document = parseDocument(header.join('\n'), options);
    const [error] = document.errors;
    if (error) {
      // The header starts on line 2.
      wrongLine = counter.linePos(error.pos[0]).line + 1;
      throw error;
    }
    let aliases = 0;
    visit(document, { Alias: () => (++aliases > MAX_ALIASES ? visit.BREAK : undefined) });
    // The library searches the whole header for the target of each alias.
    if (aliases > MAX_ALIASES) throw new Error(`The header has more than ${MAX_ALIASES} aliases`);
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  });
  if (isRecord(read.value)) return { fields: read.value, problems: [] };
  const problem = read.failure ?? 'The header is not a list of keys';
  const [reason = ''] = problem.split(/ at line \d|\n/);
  const message = `${reason.replace(/\.?$/, '.')} It was read line by line.`;
  return { fields: readLeniently(header), problems: [{ line: wrongLine, message }] };
}

/** More aliases than this would expand to an enormous value. */
const MAX_ALIASES = 100;

/** The library throws if a value has too many aliases or levels, or an alias without a target. */
function plainValue(read: () => unknown): { readonly value?: unknown; readonly failure?: string } {
  try {
    return { value: read() };
  } catch (thrown) {
    return { failure: errorMessage(thrown) };
  }
}

/** Takes the rest of each `key: value` line as text, and indented lines as its continuation. */
function readLeniently(lines: readonly string[]): Fields {
  const texts = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const line of lines) {
    const [, key, value = ''] = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (key !== undefined) {
      last = [unquote(value.trim())];
      texts.set(key, last);
    } else if (last !== undefined && /^\s+\S/.test(line)) {
      if (/^[|>][+-]?$/.test(last[0] ?? '')) last.length = 0;
      last.push(line.trim());
    }
  }
  return Object.fromEntries([...texts].map(([key, parts]) => [key, parts.join(' ').trim()]));
}

function unquote(text: string): string {
  const [, quoted] = /^"(.*)"$/.exec(text) ?? /^'(.*)'$/.exec(text) ?? [];
  return quoted ?? text;
}
