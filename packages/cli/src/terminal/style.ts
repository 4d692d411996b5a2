/** The style of the conversation: colors if they are enabled, and signs that the terminal can show. */
import { styleText } from 'node:util';
import type { ColorName, ThemeChoice } from './theme.ts';

type Look = 'dim' | 'bold' | ColorName;

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
  /** Absent: the colors of the terminal. */
  readonly themes?: Pick<ThemeChoice, 'theme'>;
}

export function styleFor({ plain, env, themes }: StyleChoice): Style {
  const colors = !plain && !env['NO_COLOR'];
  return {
    colors,
    paint: colors ? (look, text) => paintWith(themes?.theme.colors, look, text) : (_look, text) => text,
    signs: plain || !supportsUnicode(env) ? ASCII : UNICODE,
  };
}

const DEFAULT_COLOR = '\u001b[39m';

/** Paints a text. Text inside it may have a color of its own. */
function paintWith(colors: ThemeChoice['theme']['colors'] | undefined, look: Look, text: string): string {
  if (!colors || look === 'dim' || look === 'bold') return styleText(look, text, { validateStream: false });
  const begin = `\u001b[${colors[look]}m`;
  return begin + text.replaceAll(DEFAULT_COLOR, DEFAULT_COLOR + begin) + DEFAULT_COLOR;
}

/** Checks the locale for UTF-8. Without a locale, UTF-8 is assumed. */
function supportsUnicode(env: StyleChoice['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return /utf-?8/i.test(locale);
}
