/**
 * Converts the input of a terminal to keys and pastes. Terminals send replies, mouse reports and keys as escape sequences.
 * An unknown sequence is dropped as a whole, so that no part of it becomes typed text.
 */
import type { Key } from './editor.ts';
import { omitUndefined } from '@heddle/core';

export interface KeyReaderListener {
  readonly key: (key: Key) => void;
  readonly paste: (text: string) => void;
  /** The terminal reports the row of the cursor, counted from 1. */
  readonly position?: (row: number) => void;
  /** The terminal replies with a text, for example about its colors. */
  readonly reply?: (text: string) => void;
  /** The terminal reports that it can name every key exactly (the keyboard protocol of kitty). */
  readonly namesKeys?: () => void;
}

const ESC = '\u001b';
const PASTE_END = '\u001b[201~';
/** No terminal sends a longer reply. */
const MAX_SEQUENCE_LENGTH = 65_536;

/** A complete sequence and its key, or `incomplete` if more characters are needed. */
type Sequence =
  | { readonly kind: 'key'; readonly length: number; readonly key: Key }
  | { readonly kind: 'ignored' | 'paste'; readonly length: number }
  | { readonly kind: 'position'; readonly length: number; readonly row: number }
  | { readonly kind: 'reply'; readonly length: number; readonly text: string }
  | { readonly kind: 'names keys'; readonly length: number }
  | { readonly kind: 'incomplete' };

export class KeyReader {
  readonly #listener: KeyReaderListener;
  #pending = '';
  /** The parts of the current paste. */
  #pasted: string[] | undefined;

  constructor(listener: KeyReaderListener) {
    this.#listener = listener;
  }

  /** True if the last characters may be the start of a sequence. The caller calls `flush` if nothing follows soon. */
  get isWaiting(): boolean {
    return this.#pending !== '' && this.#pasted === undefined;
  }

  push(text: string): void {
    this.#pending += text;
    while (this.#pending !== '') {
      const length = this.#pasted === undefined ? this.#readKey() : this.#readPaste(this.#pasted);
      if (length === 0) return;
      this.#pending = this.#pending.slice(length);
    }
  }

  /** No more characters followed: an Esc was the key itself, and anything longer is dropped. */
  flush(): void {
    const waiting = this.#pending;
    this.#pending = '';
    if (waiting === ESC) this.#listener.key({ name: 'escape', sequence: ESC });
    else if (waiting.length === 2) this.#listener.key(metaKey(waiting.charAt(1)));
  }

  /** Returns how many characters were used; 0 asks for more. */
  #readKey(): number {
    const text = this.#pending;
    if (!text.startsWith(ESC)) {
      const [run = ''] = PRINTABLE.exec(text) ?? [];
      this.#listener.key(run === '' ? controlKey(text.charAt(0)) : { sequence: run });
      return run.length || 1;
    }
    const read = readSequence(text);
    if (read.kind === 'incomplete') return text.length > MAX_SEQUENCE_LENGTH ? text.length : 0;
    if (read.kind === 'paste') this.#pasted = [];
    if (read.kind === 'key') this.#listener.key(read.key);
    if (read.kind === 'position') this.#listener.position?.(read.row);
    if (read.kind === 'reply') this.#listener.reply?.(read.text);
    if (read.kind === 'names keys') this.#listener.namesKeys?.();
    return read.length;
  }

  #readPaste(parts: string[]): number {
    const end = this.#pending.indexOf(PASTE_END);
    if (end >= 0) {
      parts.push(this.#pending.slice(0, end));
      this.#pasted = undefined;
      this.#listener.paste(parts.join(''));
      return end + PASTE_END.length;
    }
    // The end mark may have arrived in part.
    const whole = Math.max(0, this.#pending.length - PASTE_END.length + 1);
    if (whole > 0) parts.push(this.#pending.slice(0, whole));
    return whole;
  }
}

/** Removes the key sequences that a terminal put into a line. Pasted text stays. */
export function typedText(line: string): string {
  if (!line.includes(ESC)) return line;
  let text = '';
  const reader = new KeyReader({
    key: ({ sequence = '', name }) => {
      if (name === undefined || name === 'tab') text += sequence;
    },
    paste: (pasted) => (text += pasted),
  });
  reader.push(line);
  return text;
}

// oxlint-disable-next-line no-control-regex -- control characters end a run of text
const PRINTABLE = /^[^\u0000-\u001f\u007f-\u009f]+/;

function readSequence(text: string): Sequence {
  const second = text.charAt(1);
  switch (second) {
    case '':
      return { kind: 'incomplete' };
    case '[':
      return readControlSequence(text);
    case 'O':
      return text.length < 3
        ? { kind: 'incomplete' }
        : keyOrIgnored(3, letterKey(text.charAt(2), NO_MODIFIERS));
    // Replies of the terminal: OSC, DCS, APC, PM and SOS strings.
    case ']':
    case 'P':
    case '_':
    case '^':
    case 'X': {
      const end = STRING_END.exec(text.slice(2));
      if (!end) return { kind: 'incomplete' };
      const length = 2 + end.index + end[0].length;
      return second === ']'
        ? { kind: 'reply', length, text: text.slice(2, 2 + end.index) }
        : { kind: 'ignored', length };
    }
    case ESC:
      // Alt with a key that sends its own sequence.
      return text.length < 3 || text.charAt(2) !== '['
        ? { kind: 'key', length: 1, key: { name: 'escape', sequence: ESC } }
        : readControlSequence(text.slice(1), 1);
    default: {
      const [character = second] = /^./su.exec(text.slice(1)) ?? [];
      return { kind: 'key', length: 1 + character.length, key: metaKey(character) };
    }
  }
}

// oxlint-disable-next-line no-control-regex -- BEL or ST ends a string
const STRING_END = /\u0007|\u001b\\|\u009c/;

/** A control sequence after `Esc [`: parameters, intermediates and one final character. */
const CONTROL_SEQUENCE = /^([0-?]*)([ -/]*)([@-~])/;
/** A mouse report of the oldest kind has three characters after an `M`. */
const OLD_MOUSE = /^M[\s\S]{3}/;
/** The Linux console sends `[[A` for F1, and rxvt ends some keys with a dollar sign. */
const ODD_SEQUENCE = /^(?:\[.|\d+\$)/;

/** `text` starts with `Esc [`; `extra` characters before it belong to the sequence, too. */
function readControlSequence(text: string, extra = 0): Sequence {
  const body = text.slice(2);
  const used = 2 + extra;
  if (body === '[') return { kind: 'incomplete' };
  if (body.startsWith('M')) {
    return OLD_MOUSE.test(body) ? { kind: 'ignored', length: used + 4 } : { kind: 'incomplete' };
  }
  const odd = ODD_SEQUENCE.exec(body);
  if (odd) return { kind: 'ignored', length: used + odd[0].length };
  const found = CONTROL_SEQUENCE.exec(body);
  if (!found) {
    // A character that cannot be part of a sequence ends it. The characters before it are dropped.
    const length = /^[ -?]*/.exec(body)?.[0].length ?? 0;
    return length < body.length ? { kind: 'ignored', length: used + length } : { kind: 'incomplete' };
  }
  const [whole, parameters = '', , final = ''] = found;
  const length = used + whole.length;
  if (final === '~' && parameters === '200') return { kind: 'paste', length };
  if (final === 'u' && parameters.startsWith('?')) return { kind: 'names keys', length };
  if (final === 'R' && /^\d+;\d+$/.test(parameters))
    return { kind: 'position', length, row: Number.parseInt(parameters, 10) };
  return keyOrIgnored(length, sequenceKey(parameters, final));
}

function keyOrIgnored(length: number, key: Key | undefined): Sequence {
  return key ? { kind: 'key', length, key } : { kind: 'ignored', length };
}

type Modifiers = Pick<Key, 'ctrl' | 'meta' | 'shift'>;

const NO_MODIFIERS: Modifiers = {};

/** The parameter is a bit set plus one. After a colon it tells whether the key was pressed or released. */
function modifiersIn(parameter: string): Modifiers | undefined {
  const [bits = '', event = '1'] = parameter.split(':');
  if (event === '3') return undefined;
  const set = Number.parseInt(bits || '1', 10) - 1;
  return { shift: (set & 1) !== 0, meta: (set & 2) !== 0, ctrl: (set & 4) !== 0 };
}

function sequenceKey(parameters: string, final: string): Key | undefined {
  if (/[<=>?]/.test(parameters)) return undefined;
  const [first = '', second = '', third = ''] = parameters.split(';');
  const modifiers = modifiersIn(second);
  if (!modifiers) return undefined;
  if (final === 'u') return codeKey(Number.parseInt(first, 10), modifiers);
  // A final `M` means a mouse report.
  if (final !== '~') return final === 'M' ? undefined : letterKey(final, modifiers);
  // modifyOtherKeys of xterm: 27 ; modifiers ; code.
  if (first === '27' && third !== '') return codeKey(Number.parseInt(third, 10), modifiers);
  const name = NUMBERED[first];
  return name === undefined ? undefined : { name, ...modifiers };
}

const NUMBERED: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

const LETTERS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  M: 'return',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

function letterKey(letter: string, modifiers: Modifiers): Key | undefined {
  if (letter === 'Z') return { name: 'tab', ...modifiers, shift: true };
  const name = LETTERS[letter];
  return name === undefined ? undefined : { name, ...modifiers };
}

/** Keys that terminals identify by a character code. */
const CODES: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'return',
  27: 'escape',
  127: 'backspace',
  57_414: 'return',
};
/** Codes in this range (the private use area of Unicode) are keys without a character. */
const FIRST_PRIVATE = 57_344;
const LAST_PRIVATE = 63_743;

function codeKey(code: number, modifiers: Modifiers): Key | undefined {
  const name = CODES[code];
  if (name !== undefined) return { name, ...modifiers };
  if (!(code >= 32 && code <= 0x10_ffff) || (code >= FIRST_PRIVATE && code <= LAST_PRIVATE)) return undefined;
  const character = String.fromCodePoint(code);
  if (modifiers.ctrl || modifiers.meta) return { name: character.toLowerCase(), ...modifiers };
  return { sequence: modifiers.shift ? character.toUpperCase() : character };
}

const CONTROLS: Readonly<Record<string, string>> = {
  '\r': 'return',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
};

function controlKey(character: string): Key {
  const name = CONTROLS[character];
  if (name !== undefined) return { name, sequence: character };
  // Ctrl-_ and Ctrl-/ send the same character.
  if (character === '\u001f') return { name: '_', ctrl: true, sequence: character };
  const code = character.charCodeAt(0);
  return code < 27 ? { name: String.fromCharCode(code + 96), ctrl: true, sequence: character } : {};
}

function metaKey(character: string): Key {
  const { name = character.toLowerCase(), ctrl } = CONTROLS[character] ? controlKey(character) : {};
  return { name, meta: true, ...omitUndefined({ ctrl }) };
}
