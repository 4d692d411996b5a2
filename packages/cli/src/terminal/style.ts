/** How the plain conversation looks: a little colour where it is wanted, and signs that every terminal can show. */
import { styleText } from 'node:util';

type Look = 'dim' | 'bold' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Style {
  /** Whether painting shows: without colours, signs must say what they would. */
  readonly colors: boolean;
  readonly paint: (look: Look, text: string) => string;
  readonly signs: Signs;
}

/** Words where a sign would be read aloud as nonsense, or could not be shown. */
interface Signs {
  readonly call: string;
  readonly ok: string;
  readonly failed: string;
  readonly dot: string;
  readonly more: string;
  readonly to: string;
}

const UNICODE: Signs = { call: '●', ok: '✓', failed: '✗', dot: '·', more: '…', to: '→' };
const ASCII: Signs = { call: '*', ok: 'ok:', failed: 'failed:', dot: '-', more: '...', to: '->' };

export interface StyleChoice {
  /** `--plain`, a dumb terminal, or no terminal at all. */
  readonly plain: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function styleFor({ plain, env }: StyleChoice): Style {
  const colors = !plain && !env['NO_COLOR'];
  return {
    colors,
    paint: colors ? (look, text) => styleText(look, text, { validateStream: false }) : (_look, text) => text,
    signs: plain || !speaksUnicode(env) ? ASCII : UNICODE,
  };
}

/** What the locale says; one that says nothing is modern. */
function speaksUnicode(env: StyleChoice['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return /utf-?8/i.test(locale);
}
