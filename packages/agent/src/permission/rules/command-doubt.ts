/**
 * Whether a `Bash` rule may speak of a command that nobody can read to its end: `$X y`, `git $X`, a script in another
 * language. Deny and ask rules then ask.
 */
import { canonicalPattern } from './command-pattern.ts';

/** How far a command is known. */
export interface Beginning {
  readonly text: string;
  /** What follows is one quoted text out of a substitution: a message, hardly ever an option. */
  readonly quoted: boolean;
}

export interface CommandDoubt {
  mayGoOn(beginning: Beginning): boolean;
  /** Its first word stands in a text. */
  standsIn(code: string): boolean;
}

export function commandDoubt(specifier: string): CommandDoubt {
  const pattern = canonicalPattern(specifier) ?? specifier;
  const [, fixed = '', open = ''] = /^([^*]*?)((?::\*| \*|\*)[\s\S]*)?$/.exec(pattern) ?? [];
  const [first = ''] = fixed.split(' ');
  const isWord = first !== '' && (fixed.includes(' ') || open.startsWith(' ') || open !== '*');
  return {
    mayGoOn({ text, quoted }) {
      if (fixed.startsWith(text)) return true;
      return open !== '' && !quoted && text.startsWith(fixed);
    },
    standsIn(code) {
      if (!isWord) return false;
      for (let at = code.indexOf(first); at >= 0; at = code.indexOf(first, at + 1)) {
        const around = [code[at - 1], code[at + first.length]];
        if (around.every((letter) => letter === undefined || !/[\w-]/.test(letter))) return true;
      }
      return false;
    },
  };
}
