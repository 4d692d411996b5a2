/** The style of the conversation: colors if they are enabled, and signs that the terminal can show. */
import { styleText } from 'node:util';

type Look = 'dim' | 'bold' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Style {
  /** False if `paint` does nothing. Then signs must replace colors. */
  readonly colors: boolean;
  readonly paint: (look: Look, text: string) => string;
  readonly signs: Signs;
}

/** The signs, or words if a screen reader cannot read the signs or a terminal cannot show them. */
interface Signs {
  readonly call: string;
  readonly ok: string;
  readonly failed: string;
  readonly dot: string;
  readonly more: string;
  readonly to: string;
  /** Marks the selected choice. */
  readonly pointer: string;
}

const UNICODE: Signs = { call: '●', ok: '✓', failed: '✗', dot: '·', more: '…', to: '→', pointer: '❯' };
const ASCII: Signs = {
  call: '*',
  ok: 'ok:',
  failed: 'failed:',
  dot: '-',
  more: '...',
  to: '->',
  pointer: '>',
};

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
    signs: plain || !supportsUnicode(env) ? ASCII : UNICODE,
  };
}

/** Checks the locale for UTF-8. Without a locale, UTF-8 is assumed. */
function supportsUnicode(env: StyleChoice['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return /utf-?8/i.test(locale);
}
