/**
 * Redacts secrets in texts: keys known to this process, and text that looks like any key. Contract:
 * deterministic, so that a recording and a replay can still be compared.
 */
import { type Environment, proxySecrets, SECRET_VARIABLES } from '../../secrets/environment.ts';
import { patternOfAny, mapTexts, replaceSpans, type TextSpan, withoutOverlaps } from './chunks.ts';

export const REDACTED = '[redacted]';

/** Names of variables with secret values, although this program does not use them. */
const SECRET_NAME =
  /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|(?:API|ACCESS|PRIVATE)KEY|(?:^|_)(?:KEY|PASS))(?:_?ID)?$/i;

/** Shorter values are words. Their redaction would make every text unreadable. */
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

/** The start of a word. In JSON it may follow an escape. */
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

/** A key with a password has a header that contains dashes. */
const PRIVATE_KEY = String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[^]{0,16384}?-----END [A-Z ]*PRIVATE KEY-----`;

/** Text after these words is a secret in any format. */
const BEHIND_A_WORD = new RegExp(
  [
    String.raw`(?<=${START}authorization${QUOTE}\s*[:=]\s*${QUOTE}(?:bearer|basic|token)\s+)[^\s"'\\]+`,
    String.raw`(?<=${START}bearer\s+)[\w.~+/=-]{16,}`,
    String.raw`(?<=${START}x-api-key${QUOTE}\s*[:=]\s*${QUOTE})[^\s"'\\]{8,}`,
    // The address of a webhook is its own password.
    String.raw`(?<=hooks\.slack\.com\/services\/)[\w/-]{16,}`,
    // The password in an address.
    String.raw`(?<=:\/\/[^\s/:@"'\\]{1,64}:)[^\s/@"'\\]{3,}(?=@)`,
  ].join('|'),
  'gi',
);

/**
 * The value that a settings file or a shell assigns to such a variable, if it mixes letters and digits.
 * Words and code stay unchanged, because the model's code must still run in a replay.
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
  /** Known values that may be split by a line break. */
  readonly #spaced: readonly string[];

  constructor(values: readonly string[]) {
    const forms = values.flatMap((value) => [
      value,
      encodeURIComponent(value.toWellFormed()),
      JSON.stringify(value).slice(1, -1),
    ]);
    const known = patternOfAny(forms);
    this.#looks = new RegExp([...(known ? [known] : []), ...KEYS, PRIVATE_KEY].join('|'), 'g');
    this.#spaced = forms.filter((form) => OUTSIDE_TOKENS.test(form));
  }

  spans(text: string): TextSpan[] {
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

  /** Returns a plain value without secrets, or the value itself if it has none. */
  value(value: unknown): unknown {
    const json = JSON.stringify(value) ?? '';
    return this.spans(json).length === 0 ? value : mapTexts(value, (text) => this.text(text));
  }

  /** Returns how much of the end of a text may be the start of a secret. */
  doubtful(text: string): number {
    const token = tokenAtEnd(text);
    const begun = this.#spaced.map((value) => beginningAtEnd(text, value));
    const block = text.lastIndexOf('-----BEGIN ');
    const open = block >= 0 && !text.includes('-----END ', block) ? text.length - block : 0;
    return Math.min(Math.max(token, open, ...begun), LONGEST_DOUBT);
  }
}

const OUTSIDE_TOKENS = /[\s"'`,;(){}<>]/;

/** No secret is longer. A text without a space must not stay in memory forever. */
const LONGEST_DOUBT = 8_192;

/** A loop instead of a pattern, which would try at every character. */
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
