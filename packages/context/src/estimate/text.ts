/**
 * How many tokens a text will be, without a tokenizer. The text is cut into pieces where a byte-pair tokenizer would cut it
 * (a word with the blank or sign before it, three digits, a run of signs), and each piece costs what its like cost on
 * average. Random text (base64, hashes) and each script have their own averages. The estimate errs on the high side.
 */
import { COMMON_HAN, costOf } from './costs.ts';
import * as cost from './costs.ts';

/** A margin, so that a text of unusual words is not underestimated. */
const MARGIN = 1.03;

/** No character is more tokens than this in any script. */
export const MOST_PER_CHARACTER = 1.6;

export function estimateText(text: string): number {
  if (text.length === 0) return 0;
  return Math.ceil(new Scanner(text).tokens() * MARGIN);
}

const [BLANK, NEWLINE, LOWER, UPPER, DIGIT, SIGN, ACCENTED, WIDE] = [0, 1, 2, 3, 4, 5, 6, 7] as const;

const ASCII: readonly number[] = Array.from({ length: 128 }, (_, code) => {
  if (code === 10 || code === 13) return NEWLINE;
  if (code <= 32 || code === 127) return BLANK;
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return code >= 48 && code <= 57 ? DIGIT : SIGN;
});

function kindOf(code: number): number {
  if (code < 128) return ASCII[code] ?? SIGN;
  return code >= 0xc0 && code <= 0x24f ? ACCENTED : WIDE;
}

function isLetter(kind: number): boolean {
  return kind === LOWER || kind === UPPER || kind === ACCENTED;
}

class Scanner {
  readonly #text: string;
  #at = 0;
  /** The text up to here was checked for randomness. */
  #judgedUntil = 0;
  #isRandom = false;

  constructor(text: string) {
    this.#text = text;
  }

  tokens(): number {
    let tokens = 0;
    while (this.#at < this.#text.length) tokens += this.#piece();
    return tokens;
  }

  #kind(at: number): number {
    return at < this.#text.length ? kindOf(this.#text.charCodeAt(at)) : NEWLINE;
  }

  #piece(): number {
    const kind = this.#kind(this.#at);
    switch (kind) {
      case BLANK:
        return this.#blanks();
      case NEWLINE:
        this.#skip(NEWLINE);
        return 1;
      case DIGIT:
        this.#judge();
        return Math.ceil(this.#skip(DIGIT) / 3) * cost.DIGITS;
      case SIGN:
        return this.#signs();
      case WIDE:
        return wideCost(this.#text.charCodeAt(this.#at++));
      default:
        return this.#word('bare');
    }
  }

  /** The last blank before a word is part of it; one before signs joins them; one before a digit stays alone. */
  #blanks(): number {
    const length = this.#skip(BLANK);
    const next = this.#kind(this.#at);
    if (next === NEWLINE) {
      this.#skip(NEWLINE);
      return costOf(length, cost.BLANKS);
    }
    if (next === DIGIT) return length > 1 ? costOf(length - 1, cost.BLANKS) + 1 : 1;
    const before = length > 1 ? costOf(length - 1, cost.BLANKS) : 0;
    if (isLetter(next)) return before + this.#word('spaced');
    return before + (next === SIGN ? this.#run() : 0);
  }

  /** One sign before a word is part of it. */
  #signs(): number {
    this.#judge();
    if (!isLetter(this.#kind(this.#at + 1))) return this.#run();
    this.#at++;
    return this.#word('signed');
  }

  /** A run of signs, with the line ends behind it. */
  #run(): number {
    const first = this.#text.charCodeAt(this.#at);
    const start = this.#at;
    while (this.#kind(this.#at) === SIGN) this.#at++;
    let same = start;
    while (same < this.#at && this.#text.charCodeAt(same) === first) same++;
    const isRuler = same === this.#at && this.#at - start > 3;
    const length = this.#at - start;
    const lineEnd = this.#skip(NEWLINE) > 0 ? 1 : 0;
    return isRuler ? costOf(length, cost.RULER) : costOf(length + lineEnd, cost.SIGNS);
  }

  /** Capitals, then small letters: `getUserName` is three words. */
  #word(lead: 'spaced' | 'signed' | 'bare'): number {
    this.#judge();
    const start = this.#at;
    let accents = 0;
    while (this.#kind(this.#at) === UPPER) this.#at++;
    const capitals = this.#at - start;
    for (let kind = this.#kind(this.#at); kind === LOWER || kind === ACCENTED; kind = this.#kind(this.#at)) {
      if (kind === ACCENTED) accents++;
      this.#at++;
    }
    const length = this.#at - start;
    if (this.#isRandom)
      return costOf(length, cost.RANDOM) + (lead === 'signed' && length > 1 ? cost.SIGN_BEFORE_RANDOM : 0);
    return costOf(length, costsOf(lead, capitals)) + accents * cost.ACCENT_COST;
  }

  #skip(kind: number): number {
    const start = this.#at;
    while (this.#at < this.#text.length && this.#kind(this.#at) === kind) this.#at++;
    return this.#at - start;
  }

  /** Looks at the run of letters, digits and the signs of encodings that begins here, once. */
  #judge(): void {
    if (this.#at < this.#judgedUntil) return;
    let [changes, digits, length] = [0, 0, 0];
    let before = -1;
    let end = this.#at;
    for (; end < this.#text.length; end++) {
      const code = this.#text.charCodeAt(end);
      const kind = kindOf(code);
      if (kind === LOWER || kind === UPPER || kind === DIGIT) {
        if (before !== -1 && kind !== before) changes++;
        if (kind === DIGIT) digits++;
        before = kind;
        length++;
      } else if (!isEncodingSign(code)) break;
    }
    this.#judgedUntil = Math.max(end, this.#at + 1);
    this.#isRandom = length >= SHORTEST && changes >= length * CHANGES && digits >= length * MIXED_DIGITS;
  }
}

/** Random text of letters and digits changes between them at nearly every other character; words hardly ever do. */
const SHORTEST = 16;
const CHANGES = 0.36;
const MIXED_DIGITS = 0.06;

/** `+ / = - _` */
function isEncodingSign(code: number): boolean {
  return code === 43 || code === 47 || code === 61 || code === 45 || code === 95;
}

function costsOf(lead: 'spaced' | 'signed' | 'bare', capitals: number): cost.CharacterCosts {
  if (capitals > 1) return cost.SHOUTED;
  if (capitals === 1) return lead === 'signed' ? cost.SIGNED_CAPITAL : cost.CAPITAL;
  switch (lead) {
    case 'spaced':
      return cost.SPACED;
    case 'signed':
      return cost.SIGNED;
    case 'bare':
      return cost.BARE;
  }
}

function wideCost(code: number): number {
  if (code >= 0x4e00 && code <= 0x9fff)
    return COMMON_HAN.has(code) ? cost.COMMON_HAN_COST : cost.RARE_HAN_COST;
  if (code >= 0x3040 && code <= 0x309f) return cost.HIRAGANA_COST;
  if (code >= 0x30a0 && code <= 0x30ff) return cost.KATAKANA_COST;
  if (code >= 0xac00 && code <= 0xd7af) return cost.HANGUL_COST;
  if (code >= 0x400 && code <= 0x52f) return cost.CYRILLIC_COST;
  if (code >= 0xd800 && code <= 0xdfff) return cost.SURROGATE_COST;
  if ((code >= 0x3000 && code <= 0x303f) || code >= 0xff00) return cost.WIDE_SIGN_COST;
  if (code < 0xc0 || (code >= 0x2000 && code <= 0x2fff)) return cost.SYMBOL_COST;
  if (code >= 0x3400 && code <= 0x4dbf) return cost.RARE_HAN_COST;
  return cost.OTHER_LETTER_COST;
}
