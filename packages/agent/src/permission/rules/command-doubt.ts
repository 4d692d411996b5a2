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
}

export function commandDoubt(specifier: string): CommandDoubt {
  const pattern = canonicalPattern(specifier) ?? specifier;
  const [, fixed = '', open = ''] = /^([^*]*?)((?::\*| \*|\*)[\s\S]*)?$/.exec(pattern) ?? [];
  return {
    mayGoOn({ text, quoted }) {
      if (fixed.startsWith(text)) return true;
      return open !== '' && !quoted && text.startsWith(fixed);
    },
  };
}
