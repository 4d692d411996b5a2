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

type Fields = Record<string, unknown>;

const FENCE = /^---[ \t]*$/;

/** Never rejects. A header that is not valid YAML is read line by line, and each bad line is reported. */
export async function readMarkdownFile(text: string): Promise<MarkdownFile> {
  const { header, body, isUnclosed } = splitHeader(text);
  if (header === undefined) return { fields: {}, body, problems: isUnclosed ? [UNCLOSED] : [] };
  const simple = readSimpleHeader(header);
  if (simple !== undefined) return { fields: simple, body, problems: [] };
  return { body, ...(await readYamlHeader(header)) };
}

/** Reads a file without waiting for the YAML library: a header that is not simple is read line by line. */
export function readMarkdownFileSync(text: string): MarkdownFile {
  const { header, body, isUnclosed } = splitHeader(text);
  if (header === undefined) return { fields: {}, body, problems: isUnclosed ? [UNCLOSED] : [] };
  return { fields: readSimpleHeader(header) ?? readLeniently(header), body, problems: [] };
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
  const { LineCounter, parseDocument } = await import('yaml');
  const counter = new LineCounter();
  const document = parseDocument(header.join('\n'), {
    lineCounter: counter,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  const read = error === undefined ? plainValue(() => document.toJS({ maxAliasCount: MAX_ALIASES })) : {};
  if (isRecord(read.value)) return { fields: read.value, problems: [] };
  // The header starts on line 2.
  const line = error ? counter.linePos(error.pos[0]).line + 1 : 2;
  const problem = error?.message ?? read.failure ?? 'The header is not a list of keys';
  const [reason = ''] = problem.split(/ at line \d|\n/);
  const message = `${reason.replace(/\.?$/, '.')} It was read line by line.`;
  return { fields: readLeniently(header), problems: [{ line, message }] };
}

/** More aliases than this would expand to an enormous value. */
const MAX_ALIASES = 100;

/** The library throws if a value has too many aliases, or an alias without a target. */
function plainValue(read: () => unknown): { readonly value?: unknown; readonly failure?: string } {
  try {
    return { value: read() };
  } catch (thrown) {
    return { failure: errorMessage(thrown) };
  }
}

/** Takes the rest of each `key: value` line as text, and indented lines as its continuation. */
function readLeniently(lines: readonly string[]): Fields {
  const fields: Fields = {};
  let last: string | undefined;
  for (const line of lines) {
    const [, key, value = ''] = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (key !== undefined) {
      last = key;
      fields[key] = unquote(value.trim());
    } else if (last !== undefined && /^\s+\S/.test(line)) {
      const before = fields[last];
      fields[last] =
        `${typeof before === 'string' && !/^[|>][+-]?$/.test(before) ? `${before} ` : ''}${line.trim()}`.trim();
    }
  }
  return fields;
}

function unquote(text: string): string {
  const [, quoted] = /^"(.*)"$/.exec(text) ?? /^'(.*)'$/.exec(text) ?? [];
  return quoted ?? text;
}
