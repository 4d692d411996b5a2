/**
 * The user's own keys, from `keybindings.json` in the configuration folder. Pure. A bound key is replaced by the key
 * that has the action by default. So it has the same effect in the line, in menus and in the search.
 */
import { isRecord } from '@heddle/core';
import type { Key } from './editor.ts';

/** The actions and their default keys, in the order in which they are listed. */
export const KEY_ACTIONS: Readonly<Record<string, string>> = {
  'chat:submit': 'enter',
  'chat:newline': 'ctrl+j',
  'chat:cancel': 'escape',
  'chat:cycleMode': 'shift+tab',
  'chat:undo': 'ctrl+_',
  'chat:externalEditor': 'ctrl+g',
  'chat:imagePaste': 'ctrl+v',
  'history:search': 'ctrl+r',
  'history:previous': 'up',
  'history:next': 'down',
  'autocomplete:accept': 'tab',
  'app:toggleTranscript': 'ctrl+o',
  'app:redraw': 'ctrl+l',
  'app:suspend': 'ctrl+z',
  'edit:lineStart': 'ctrl+a',
  'edit:lineEnd': 'ctrl+e',
  'edit:left': 'left',
  'edit:right': 'right',
  'edit:wordLeft': 'alt+b',
  'edit:wordRight': 'alt+f',
  'edit:deleteWordLeft': 'ctrl+w',
  'edit:deleteWordRight': 'alt+d',
  'edit:deleteToStart': 'ctrl+u',
  'edit:deleteToEnd': 'ctrl+k',
  'edit:putBack': 'ctrl+y',
  'edit:putBackOlder': 'alt+y',
};

/** The effect of a key: that of another key, a slash command, or none. */
type Bound =
  | { readonly kind: 'key'; readonly key: Key; readonly action: string }
  | { readonly kind: 'command'; readonly name: string }
  | { readonly kind: 'nothing' };

export interface KeybindingProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** Keys by their names, such as `ctrl+x ctrl+e`. */
export type Keybindings = ReadonlyMap<string, Bound>;

export const NO_KEYBINDINGS: Keybindings = new Map();

export interface ReadKeybindings {
  readonly bindings: Keybindings;
  readonly problems: readonly KeybindingProblem[];
}

export type ResolvedKey =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'command'; readonly name: string }
  /** The key is unbound, or ends a sequence that is not bound. */
  | { readonly kind: 'nothing' }
  /** The key starts a sequence. `pending`: the keys so far. */
  | { readonly kind: 'wait'; readonly pending: string };

/** Resolves a key. `pending`: the keys of an unfinished sequence before it. */
export function resolveKey(bindings: Keybindings, pending: string, key: Key): ResolvedKey {
  if (bindings.size === 0) return { kind: 'key', key };
  const name = nameOfKey(key);
  const whole = pending === '' ? name : `${pending} ${name}`;
  const bound = bindings.get(whole);
  if (bound) return bound;
  if ([...bindings.keys()].some((other) => other.startsWith(`${whole} `)))
    return { kind: 'wait', pending: whole };
  return pending === '' ? { kind: 'key', key } : { kind: 'nothing' };
}

const CONTEXTS: ReadonlySet<string> = new Set(['Global', 'Chat', 'Autocomplete', 'HistorySearch']);
const COMMAND = 'command:';

/** Reads the text of the file. Entries with a problem are left out. */
export function readKeybindings(text: string): ReadKeybindings {
  const bindings = new Map<string, Bound>();
  const problems: KeybindingProblem[] = [];
  const report = (near: string, message: string): void => {
    const at = text.indexOf(JSON.stringify(near));
    problems.push({ line: at < 0 ? 1 : text.slice(0, at).split('\n').length, message });
  };
  const parsed = parseJson(text);
  if (!parsed.ok) return { bindings, problems: [parsed.problem] };
  const blocks = isRecord(parsed.value) ? parsed.value['bindings'] : undefined;
  if (!Array.isArray(blocks)) report('bindings', 'bindings is not a list. The keys stay as they are.');
  for (const block of Array.isArray(blocks) ? (blocks as readonly unknown[]) : []) readBlock(block);
  return { bindings, problems };

  function readBlock(block: unknown): void {
    if (!isRecord(block) || !isRecord(block['bindings']))
      return report('bindings', 'A block has no object with the name bindings. It is ignored.');
    const context = block['context'] ?? 'Chat';
    if (typeof context !== 'string') return report('context', 'The context is not a text. It is ignored.');
    if (!CONTEXTS.has(context))
      return report(context, `The context ${context} does not exist here. It is ignored.`);
    for (const [keys, action] of Object.entries(block['bindings'])) readEntry(keys, action);
  }

  function readEntry(keys: string, action: unknown): void {
    const strokes = keys.trim().split(/\s+/).map(readStroke);
    const wrong = strokes.find((stroke) => !stroke.ok);
    if (wrong && !wrong.ok) return report(keys, wrong.message);
    const names = strokes.flatMap((stroke) => (stroke.ok ? [nameOfKey(stroke.key)] : []));
    const [first = ''] = names;
    if (RESERVED.has(first)) return report(keys, `${first} always has the same effect. It stays as it is.`);
    if (first.length === 1) return report(keys, `${keys} is typed text. Add ctrl or alt.`);
    const bound = boundTo(action);
    if (bound) bindings.set(names.join(' '), bound);
    else report(keys, `The action ${JSON.stringify(action)} does not exist. /keybindings lists all actions.`);
  }
}

function boundTo(action: unknown): Bound | undefined {
  if (action === null) return { kind: 'nothing' };
  if (typeof action !== 'string') return undefined;
  const name = action.startsWith(COMMAND) ? action.slice(COMMAND.length) : '';
  if (/^[\w:.-]+$/.test(name)) return { kind: 'command', name };
  const stroke = Object.hasOwn(KEY_ACTIONS, action) ? readStroke(KEY_ACTIONS[action] ?? '') : undefined;
  return stroke?.ok ? { kind: 'key', key: stroke.key, action } : undefined;
}

/** These keys interrupt and leave in every state. */
const RESERVED: ReadonlySet<string> = new Set(['ctrl+c', 'ctrl+d']);
const MODIFIERS: Readonly<Record<string, 'ctrl' | 'meta' | 'shift'>> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  alt: 'meta',
  meta: 'meta',
  opt: 'meta',
  option: 'meta',
  shift: 'shift',
};
/** The names in the file, and the names of `Key`. */
const NAMED: Readonly<Record<string, string>> = {
  enter: 'return',
  return: 'return',
  esc: 'escape',
  escape: 'escape',
  ...Object.fromEntries(
    ['tab', 'backspace', 'delete', 'up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown'].map(
      (name) => [name, name],
    ),
  ),
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index + 1}`, `f${index + 1}`])),
};
/** Terminals send the same character for both keys. */
const SAME_KEY: Readonly<Record<string, string>> = { 'ctrl+m': 'Enter', 'ctrl+i': 'Tab', 'ctrl+[': 'Esc' };

type Stroke = { readonly ok: true; readonly key: Key } | { readonly ok: false; readonly message: string };

/** Reads one key, such as `ctrl+shift+x`. */
function readStroke(written: string): Stroke {
  const parts = written.toLowerCase().split('+');
  // A plus sign is also a key.
  const last = written.endsWith('+') ? '+' : (parts.at(-1) ?? '');
  const modifiers = parts.slice(0, written.endsWith('+') ? -2 : -1);
  const same = SAME_KEY[[...modifiers, last].join('+')];
  if (same !== undefined)
    return { ok: false, message: `Terminals cannot tell ${written} from ${same}. Use another key.` };
  const held: { ctrl?: true; meta?: true; shift?: true } = {};
  for (const part of modifiers) {
    const modifier = MODIFIERS[part];
    if (!modifier) return { ok: false, message: `${part} is not a modifier. Use ctrl, alt or shift.` };
    held[modifier] = true;
  }
  const name = NAMED[last];
  if (name !== undefined) return { ok: true, key: { name, ...held } };
  if (!/^.$/u.test(last)) return { ok: false, message: `${written} is not a key.` };
  // Ctrl-J is the line feed, which has a name of its own.
  if (last === 'j' && held.ctrl) return { ok: true, key: { name: 'enter', sequence: '\n' } };
  return { ok: true, key: modifiers.length === 0 ? { sequence: last } : { name: last, ...held } };
}

/** Returns the name of a key as the file writes it, with its modifiers in a fixed order. */
export function nameOfKey({ name, sequence = '', ctrl, meta, shift }: Key): string {
  if (name === 'enter') return 'ctrl+j';
  const base = name === 'return' ? 'enter' : (name ?? sequence);
  return [...(ctrl ? ['ctrl'] : []), ...(meta ? ['alt'] : []), ...(shift ? ['shift'] : []), base].join('+');
}

type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: KeybindingProblem };

function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    const at = /position (\d+)/.exec(reason)?.[1];
    const before = at === undefined ? text : text.slice(0, Number(at));
    const message = 'The file is not valid JSON from here on. The keys stay as they are.';
    return { ok: false, problem: { line: before.split('\n').length, message } };
  }
}
