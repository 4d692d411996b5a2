/** A conversation of another agent in Heddle's messages, and a builder for it. Pure. */
import { createHash } from 'node:crypto';
import {
  type ContentBlock,
  isRecord,
  type Json,
  type JsonObject,
  type Message,
  type ResultContent,
} from '@heddle/core';

export interface ForeignConversation {
  readonly id: string;
  readonly cwd: string;
  readonly title: string | undefined;
  readonly messages: readonly Message[];
  /** The content that could not be carried over, with its number. */
  readonly omitted: ReadonlyMap<string, number>;
}

export interface ConversationFacts {
  readonly id: string;
  readonly cwd: string;
  readonly title?: string | undefined;
}

/** Collects messages in order. Uuids come from the source, so importing twice gives the same messages. */
export class ConversationBuilder {
  readonly #messages: Message[] = [];
  readonly #omitted = new Map<string, number>();
  #source = '';
  #at = 0;

  /** `source` identifies the line or part that the next messages come from. */
  from(source: string, at: number): this {
    this.#source = source;
    if (Number.isFinite(at)) this.#at = at;
    return this;
  }

  user(content: readonly ContentBlock[]): void {
    if (content.length > 0) this.#messages.push({ type: 'user', ...this.#stamp(), content });
  }

  assistant(block: ContentBlock, model: string): void {
    const stamp = this.#stamp();
    this.#messages.push({
      type: 'assistant',
      ...stamp,
      responseId: `imported_${stamp.uuid}`,
      model,
      content: [block],
    });
  }

  /** Texts and results of calls keep their order; the request builder pairs them. */
  result(id: string, content: string | readonly ResultContent[], isError: boolean): void {
    this.user([{ type: 'tool_result', tool_use_id: callId(id), content, is_error: isError }]);
  }

  call(id: string, tool: string, input: unknown, model: string): void {
    const { name, fields } = knownCall(tool, isRecord(input) ? input : { input: String(input) });
    this.assistant({ type: 'tool_use', id: callId(id), name, input: fields }, model);
  }

  omit(what: string): void {
    this.#omitted.set(what, (this.#omitted.get(what) ?? 0) + 1);
  }

  build(facts: ConversationFacts): ForeignConversation {
    return { ...facts, title: facts.title, messages: this.#messages, omitted: this.#omitted };
  }

  #stamp(): { readonly uuid: string; readonly at: number } {
    return { uuid: uuidOf(`${this.#source}/${this.#messages.length}`), at: this.#at };
  }
}

/** A uuid that depends on the text alone. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** Every provider accepts ids of these characters. */
function callId(id: string): string {
  const clean = id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  return clean === '' ? 'call' : clean;
}

interface KnownTool {
  readonly name: string;
  /** The fields of the input: theirs to ours. */
  readonly fields: ReadonlyMap<string, string>;
}

const fieldNames = (names: Readonly<Record<string, string>>) => new Map(Object.entries(names));

const RUN: KnownTool = { name: 'Bash', fields: fieldNames({ command: 'command', cmd: 'command' }) };
const READ: KnownTool = { name: 'Read', fields: fieldNames({ path: 'file_path', filePath: 'file_path' }) };
const WRITE: KnownTool = {
  name: 'Write',
  fields: fieldNames({ path: 'file_path', filePath: 'file_path', content: 'content' }),
};
const EDIT: KnownTool = {
  name: 'Edit',
  fields: fieldNames({
    path: 'file_path',
    filePath: 'file_path',
    oldText: 'old_string',
    newText: 'new_string',
    oldString: 'old_string',
    newString: 'new_string',
  }),
};

/**
 * Tools that Heddle has under another name. A model continues with the names that it sees. A map, because a file may
 * name a tool `constructor`.
 */
const KNOWN_TOOLS: ReadonlyMap<string, KnownTool> = new Map([
  ['bash', RUN],
  ['shell', RUN],
  ['exec_command', RUN],
  ['read', READ],
  ['write', WRITE],
  ['edit', EDIT],
]);

function knownCall(tool: string, input: Fields): { name: string; fields: JsonObject } {
  const known = KNOWN_TOOLS.get(tool.toLowerCase());
  const entries = Object.entries(input).map(([name, value]) => {
    const field = known?.fields.get(name) ?? name;
    // A command as a list of words was run by a shell.
    const isWords = field === 'command' && Array.isArray(value);
    return [field, isWords ? shellWords(value) : json(value)] as const;
  });
  return {
    name: known?.name ?? tool.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64),
    fields: Object.fromEntries(entries),
  };
}

function shellWords(words: readonly unknown[]): string {
  const [program, flag, script, ...rest] = words.map(String);
  const isShell = /(^|\/)(ba|z)?sh$/.test(program ?? '') && /^-\w*c$/.test(flag ?? '') && rest.length === 0;
  return isShell && script !== undefined ? script : words.map(String).join(' ');
}

/** Input was read from JSON, so it is JSON. */
function json(value: unknown): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed from JSON
  return (value ?? null) as Json;
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** An object that was read from JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** The objects of a file with one JSON value per line. Other lines are left out. */
export function parseLines(text: string): readonly Fields[] {
  return text
    .split('\n')
    .map(parseObject)
    .filter((line) => line !== undefined);
}

/** Undefined for a text that is not a JSON object. */
export function parseObject(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOfField(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
