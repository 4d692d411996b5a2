/**
 * Takes secrets out of texts: keys that this process knows, and what looks like a key whoever it belongs to. The same text
 * always becomes the same text, so that a recording and a replay can still be compared.
 */
import { type Environment, SECRET_VARIABLES } from '../../secrets/environment.ts';
import { proxySecrets } from '../../secrets/proxy-secrets.ts';
import { anyOf, mapTexts, replaceSpans, type Span, withoutOverlaps } from './chunks.ts';

export const REDACTED = '[redacted]';

/** Names of variables whose value nobody should read, although this program has no use for it. */
const SECRET_NAME =
  /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|(?:API|ACCESS|PRIVATE)KEY|(?:^|_)(?:KEY|PASS))(?:_?ID)?$/i;

/** Shorter values are words, and blotting them out would make every text unreadable. */
const SHORTEST_KEY = 6;
const SHORTEST_OTHER = 8;

export function secretValues(environment: Environment): string[] {
  const ours = new Set(SECRET_VARIABLES);
  const values = Object.entries(environment).flatMap(([name, value = '']) => {
    const shortest = ours.has(name.toUpperCase()) ? SHORTEST_KEY : SHORTEST_OTHER;
    const isSecret = ours.has(name.toUpperCase()) || SECRET_NAME.test(name);
    return isSecret && value.trim().length >= shortest ? [value.trim()] : [];
  });
  return [...values, ...proxySecrets(environment).filter((value) => value.length >= SHORTEST_KEY)];
}

/** Where a word begins; inside JSON it may stand behind an escape. */
const START = String.raw`(?:^|[^A-Za-z0-9_]|\\[nrtbf])`;
const QUOTE = String.raw`(?:\\*["'])?`;

const KEYS = [
  String.raw`sk-ant-[\w-]{8,}`,
  String.raw`sk-[A-Za-z0-9_-]{16,}`,
  String.raw`(?:AKIA|ASIA)[0-9A-Z]{16}`,
  String.raw`gh[pousr]_[A-Za-z0-9]{20,}`,
  String.raw`github_pat_\w{20,}`,
  String.raw`glpat-[\w-]{16,}`,
  String.raw`xox[abeprs]-[\w-]{10,}`,
  String.raw`AIza[\w-]{30,}`,
  String.raw`npm_[A-Za-z0-9]{30,}`,
  String.raw`hf_[A-Za-z0-9]{20,}`,
  String.raw`(?:gsk|r8|dop_v1|whsec)_[A-Za-z0-9+/]{20,}`,
  String.raw`[sr]k_(?:live|test)_[A-Za-z0-9]{16,}`,
  String.raw`(?:xai|tvly|pypi|xapp)-[\w-]{20,}`,
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
  String.raw`ya29\.[\w-]{20,}`,
  String.raw`AGE-SECRET-KEY-1[0-9A-Z]{20,}`,
  String.raw`eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}`,
].map((key) => `(?<=${START})${key}`);

/** One with a password has a head, with dashes in it. */
const PRIVATE_KEY = String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[^]{0,16384}?-----END [A-Z ]*PRIVATE KEY-----`;

/** What stands behind these words is a secret, whatever it looks like. */
const BEHIND_A_WORD = new RegExp(
  [
    String.raw`(?<=${START}authorization${QUOTE}\s*[:=]\s*${QUOTE}(?:bearer|basic|token)\s+)[^\s"'\\]+`,
    String.raw`(?<=${START}bearer\s+)[\w.~+/=-]{16,}`,
    String.raw`(?<=${START}x-api-key${QUOTE}\s*[:=]\s*${QUOTE})[^\s"'\\]{8,}`,
    // The address of a hook is its own password.
    String.raw`(?<=hooks\.slack\.com\/services\/)[\w/-]{16,}`,
    // The password in an address.
    String.raw`(?<=:\/\/[^\s/:@"'\\]{1,64}:)[^\s/@"'\\]{3,}(?=@)`,
  ].join('|'),
  'gi',
);

/**
 * What a file of settings or a shell gives to a variable of such a name, if letters and digits are mixed in it. Words are left
 * alone, and so is code: what the model writes must still run when it is played.
 */
const ASSIGNED = new RegExp(
  [
    String.raw`(?<=${START}[A-Z][A-Z0-9_]{0,48}(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|_KEY|_PASS)`,
    String.raw`${QUOTE}[ \t]?[=:][ \t]?${QUOTE})`,
    String.raw`(?=[A-Za-z+/=_-]*\d)(?=[\d+/=_-]*[A-Za-z])[\w+/=-]{8,}(?![\w.([])`,
  ].join(''),
  'g',
);

export class Scrubber {
  readonly #looks: RegExp;
  /** Known values that a sentence may break in two. */
  readonly #spaced: readonly string[];

  constructor(values: readonly string[]) {
    const forms = values.flatMap((value) => [
      value,
      encodeURIComponent(value.toWellFormed()),
      JSON.stringify(value).slice(1, -1),
    ]);
    const known = anyOf(forms);
    this.#looks = new RegExp([...(known ? [known] : []), ...KEYS, PRIVATE_KEY].join('|'), 'g');
    this.#spaced = forms.filter((form) => OUTSIDE_TOKENS.test(form));
  }

  spans(text: string): Span[] {
    const found = [this.#looks, BEHIND_A_WORD, ASSIGNED].flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ index, 0: secret }) => ({
        start: index,
        end: index + secret.length,
        by: REDACTED,
      })),
    );
    return found.length < 2 ? found : withoutOverlaps(found);
  }

  text(text: string): string {
    return replaceSpans(text, this.spans(text));
  }

  /** A plain value without secrets. The value itself where it has none. */
  value(value: unknown): unknown {
    const json = JSON.stringify(value) ?? '';
    return this.spans(json).length === 0 ? value : mapTexts(value, (text) => this.text(text));
  }

  /** How much of the end of a text may be the beginning of a secret, so that nothing is certain yet. */
  doubtful(text: string): number {
    const token = tokenAtEnd(text);
    const begun = this.#spaced.map((value) => beginningAtEnd(text, value));
    const block = text.lastIndexOf('-----BEGIN ');
    const open = block >= 0 && !text.includes('-----END ', block) ? text.length - block : 0;
    return Math.min(Math.max(token, open, ...begun), LONGEST_DOUBT);
  }
}

const OUTSIDE_TOKENS = /[\s"'`,;(){}<>]/;

/** No secret is longer; a text without a space must not be kept in memory for ever. */
const LONGEST_DOUBT = 8_192;

/** Counted by hand: a pattern would try at every character. */
function tokenAtEnd(text: string): number {
  let start = text.length;
  while (start > 0 && !OUTSIDE_TOKENS.test(text.charAt(start - 1))) start--;
  return text.length - start;
}

function beginningAtEnd(text: string, value: string): number {
  for (let length = Math.min(text.length, value.length - 1); length > 0; length--) {
    if (text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}
