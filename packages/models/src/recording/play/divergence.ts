/** Describes the first difference between two requests for a person. Undefined if they are equal. */
import { REDACTED } from '../text/scrub.ts';

/** A request for comparison: values that may differ are replaced by names. */
export interface ComparedRequest {
  readonly model: unknown;
  readonly max_tokens: unknown;
  readonly options: unknown;
  readonly system: readonly unknown[];
  readonly tools: readonly unknown[];
  readonly messages: readonly unknown[];
}

export function explainDivergence(recorded: ComparedRequest, now: ComparedRequest): string | undefined {
  const differences = [
    inMessages(recorded.messages, now.messages),
    inSystem(recorded.system, now.system),
    inTools(recorded.tools, now.tools),
    inArea('model', difference(recorded.model, now.model)),
    inArea('max_tokens', difference(recorded.max_tokens, now.max_tokens)),
    inArea('options', difference(recorded.options, now.options)),
  ].filter((one) => one !== undefined);
  const [first, ...more] = differences;
  if (!first) return undefined;
  if (more.length === 0) return first.text;
  return `${first.text}. Also different: ${more.map(({ area }) => area).join(', ')}`;
}

interface AreaDifference {
  readonly area: string;
  readonly text: string;
}

function inArea(area: string, found: Difference | undefined): AreaDifference | undefined {
  return found && { area, text: sentence(area, found) };
}

function inSystem(recorded: readonly unknown[], now: readonly unknown[]): AreaDifference | undefined {
  for (let at = 0; at < Math.max(recorded.length, now.length); at++) {
    const found = difference(readField(recorded[at], 'text'), readField(now[at], 'text'));
    if (found) return { area: 'system prompt', text: sentence(`system prompt, layer ${at + 1}`, found) };
  }
  return undefined;
}

function inTools(recorded: readonly unknown[], now: readonly unknown[]): AreaDifference | undefined {
  const area = 'tools';
  const before = new Map(recorded.map((tool) => [word(tool, 'name'), tool]));
  const after = new Map(now.map((tool) => [word(tool, 'name'), tool]));
  const gone = [...before.keys()].find((name) => !after.has(name));
  if (gone !== undefined)
    return { area, text: `tools: ${gone} was recorded and is not offered now${SAME_START}` };
  const added = [...after.keys()].find((name) => !before.has(name));
  if (added !== undefined)
    return { area, text: `tools: ${added} is offered now and was not recorded${SAME_START}` };
  for (const [name, tool] of before) {
    const found = difference(tool, after.get(name));
    if (found) return { area, text: sentence(`tools: ${name}`, found) };
  }
  const isReordered = [...before.keys()].join() !== [...after.keys()].join();
  return isReordered ? { area, text: 'tools: they stand in another order' } : undefined;
}

function inMessages(recorded: readonly unknown[], now: readonly unknown[]): AreaDifference | undefined {
  const text = whereMessagesPart(recorded, now);
  return text === undefined ? undefined : { area: 'messages', text };
}

function whereMessagesPart(recorded: readonly unknown[], now: readonly unknown[]): string | undefined {
  const calls = new Map<unknown, string>();
  for (let at = 0; at < Math.max(recorded.length, now.length); at++) {
    const [before, after] = [recorded[at], now[at]];
    if (before === undefined)
      return `${message(at, after)} was not recorded: ${shown(readField(after, 'content'))}`;
    if (after === undefined)
      return `${message(at, before)} was recorded and is not there now: ${shown(readField(before, 'content'))}`;
    const found = inBlocks(listOf(readField(before, 'content')), listOf(readField(after, 'content')), calls);
    if (readField(before, 'role') !== readField(after, 'role'))
      return `message ${at + 1} was recorded as ${word(before, 'role')}, and is ${word(after, 'role')} now`;
    if (found !== undefined) return `${message(at, after)}, ${found}`;
  }
  return undefined;
}

function inBlocks(
  recorded: readonly unknown[],
  now: readonly unknown[],
  calls: Map<unknown, string>,
): string | undefined {
  for (let at = 0; at < Math.max(recorded.length, now.length); at++) {
    const [before, after] = [recorded[at], now[at]];
    if (readField(before, 'type') === 'tool_use') calls.set(readField(before, 'id'), word(before, 'name'));
    const found = difference(before, after);
    if (!found) continue;
    const isResult =
      readField(before, 'type') === 'tool_result' && readField(after, 'type') === 'tool_result';
    const hint = isResult ? TOOLS_ARE_REAL : '';
    return `${sentence(`block ${at + 1}${kindOf(after ?? before, calls)}`, found)}${hint}`;
  }
  return undefined;
}

const TOOLS_ARE_REAL =
  ' (tools run for real in a replay: this one has another result than when it was recorded; ?match=calls lets results differ)';
/** The set of tools depends on flags, rules, settings, and whether a user can be asked. */
const SAME_START =
  ' (a recorded conversation is replayed in one, a recorded -p with -p, and with the same flags; ?match=none compares nothing)';

function kindOf(block: unknown, calls: ReadonlyMap<unknown, string>): string {
  switch (readField(block, 'type')) {
    case 'tool_use':
      return ` (call of ${word(block, 'name')})`;
    case 'tool_result':
      return ` (result of ${calls.get(readField(block, 'tool_use_id')) ?? 'a tool'})`;
    case 'text':
      return '';
    default:
      return ` (${word(block, 'type')})`;
  }
}

function message(at: number, value: unknown): string {
  return `message ${at + 1} (${word(value, 'role')})`;
}

function sentence(where: string, { path, recorded, now }: Difference): string {
  const inside = path.filter((name) => !['text', 'content'].includes(name));
  const place = inside.length === 0 ? where : `${where}, ${inside.join('.')}`;
  if (typeof recorded !== 'string' || typeof now !== 'string')
    return `${place}: recorded ${shown(recorded)}, now ${shown(now)}`;
  const at = commonStart(recorded, now);
  return `${place}, at character ${at + 1}: recorded ${excerpt(recorded, at)}, now ${excerpt(now, at)}`;
}

const BEFORE = 16;
const BEHIND = 48;

function excerpt(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE);
  const end = at + BEHIND;
  return `${start > 0 ? '…' : ''}${JSON.stringify(text.slice(start, end).toWellFormed())}${end < text.length ? '…' : ''}`;
}

function shown(value: unknown): string {
  const json = value === undefined ? 'nothing' : JSON.stringify(value);
  return json.length > BEHIND ? `${json.slice(0, BEHIND)}…` : json;
}

function commonStart(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  return at;
}

function word(value: unknown, key: string): string {
  const found = readField(value, key);
  return typeof found === 'string' ? found : 'unknown';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface Difference {
  /** Field names, from the outside in. */
  readonly path: readonly string[];
  readonly recorded: unknown;
  readonly now: unknown;
}

/** Returns the first place where two plain values differ. */
function difference(recorded: unknown, now: unknown): Difference | undefined {
  if (recorded === now) return undefined;
  if (typeof recorded === 'string' && typeof now === 'string')
    return sameButForBlots(recorded, now) ? undefined : { path: [], recorded, now };
  if (!isObject(recorded) || !isObject(now) || Array.isArray(recorded) !== Array.isArray(now))
    return { path: [], recorded, now };
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
    const found = difference(readField(recorded, key), readField(now, key));
    if (found) return { ...found, path: [key, ...found.path] };
  }
  return undefined;
}

/** Text that was redacted on one side matches any text on the other. */
function sameButForBlots(left: string, right: string): boolean {
  return fits(left, right) || fits(right, left);
}

function fits(pattern: string, text: string): boolean {
  const pieces = pattern.split(REDACTED);
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function readField(value: unknown, key: string): unknown {
  return isObject(value) ? Reflect.get(value, key) : undefined;
}
