/**
 * The colors of the conversation. `dark` uses the colors that the user has set in the terminal. The others are for light
 * backgrounds and for users who confuse red and green. A file in the folder `themes` is a theme of the user.
 */
import { isRecord } from '@heddle/core';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const COLOR_NAMES = ['red', 'green', 'yellow', 'cyan'] as const;
export type ColorName = (typeof COLOR_NAMES)[number];

export interface Theme {
  readonly name: string;
  /** The parameters of the color codes. */
  readonly colors: Readonly<Record<ColorName, string>>;
}

const DARK: Theme = { name: 'dark', colors: { red: '31', green: '32', yellow: '33', cyan: '36' } };
const LIGHT: Theme = {
  name: 'light',
  colors: { red: '38;5;124', green: '38;5;28', yellow: '38;5;130', cyan: '38;5;25' },
};
const BUILT_IN: readonly Theme[] = [
  DARK,
  LIGHT,
  // Blue and orange differ for everyone.
  {
    name: 'dark-colorblind',
    colors: { red: '38;5;214', green: '38;5;75', yellow: '38;5;229', cyan: '38;5;159' },
  },
  {
    name: 'light-colorblind',
    colors: { red: '38;5;166', green: '38;5;26', yellow: '38;5;94', cyan: '38;5;24' },
  },
];

/** The name of the choice that follows the background of the terminal. */
export const AUTO = 'auto';

/** The theme in use. Text that is painted later uses the new one. */
export class ThemeChoice {
  readonly #folder: string;
  #wanted: string = AUTO;
  #theme = DARK;
  #background: Theme = DARK;

  /** `folder`: the themes of the user. */
  constructor(folder: string, env: Readonly<Record<string, string | undefined>> = {}) {
    this.#folder = folder;
    this.#background = this.#theme = themeOfVariable(env['COLORFGBG']) ?? DARK;
  }

  get theme(): Theme {
    return this.#theme;
  }

  /** The name in the settings. */
  get wanted(): string {
    return this.#wanted;
  }

  get names(): readonly string[] {
    return [AUTO, ...BUILT_IN.map(({ name }) => name), ...userThemes(this.#folder)];
  }

  /** Uses the theme of this name. Returns the reason if that is not possible. */
  choose(name: string): string | undefined {
    const known = name === AUTO ? this.#background : BUILT_IN.find((theme) => theme.name === name);
    const read = known ? { ok: true as const, theme: known } : readTheme(this.#folder, name);
    if (!read.ok) return read.message;
    this.#wanted = name;
    this.#theme = read.theme;
    return undefined;
  }

  /** Takes the reply of the terminal about its background color, such as `11;rgb:ffff/ffff/ffff`. */
  takeReply(reply: string): void {
    const [, ...parts] = /^11;rgba?:([\da-f]+)\/([\da-f]+)\/([\da-f]+)/i.exec(reply) ?? [];
    if (parts.length < 3) return;
    const [red = 0, green = 0, blue = 0] = parts.map(
      (part) => Number.parseInt(part, 16) / (16 ** part.length - 1),
    );
    // The eye is most sensitive to green.
    this.#background = 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 ? LIGHT : DARK;
    if (this.#wanted === AUTO) this.#theme = this.#background;
  }
}

/** Some terminals name their colors in a variable, such as `0;15`: the last number is the background. */
function themeOfVariable(value = ''): Theme | undefined {
  const background = /;(\d+)$/.exec(value)?.[1];
  if (background === undefined) return undefined;
  return background === '7' || background === '15' ? LIGHT : DARK;
}

function userThemes(folder: string): readonly string[] {
  try {
    const files = readdirSync(folder).filter((file) => NAME.test(file) && file.endsWith('.json'));
    return files.map((file) => file.slice(0, -'.json'.length)).sort();
  } catch {
    return [];
  }
}

const NAME = /^[\w.-]+$/;

type ThemeRead =
  | { readonly ok: true; readonly theme: Theme }
  | { readonly ok: false; readonly message: string };

/** A color is a number of the palette from 0 to 255, or a text such as `#a04000`. Missing colors come from `base`. */
function readTheme(folder: string, name: string): ThemeRead {
  const wrong = (message: string): ThemeRead => ({ ok: false, message });
  if (!NAME.test(name) || !userThemes(folder).includes(name))
    return wrong(
      `There is no theme ${name}. There are ${[AUTO, ...BUILT_IN.map((theme) => theme.name)].join(', ')}, and files in ${folder}.`,
    );
  const file = path.join(folder, `${name}.json`);
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return wrong(`${file} is not valid JSON.`);
  }
  if (!isRecord(data)) return wrong(`${file} must contain an object.`);
  const base = BUILT_IN.find((theme) => theme.name === data['base']) ?? DARK;
  const colors = { ...base.colors };
  for (const color of COLOR_NAMES) {
    const value = data[color];
    if (value === undefined) continue;
    const code = colorCode(value);
    if (code === undefined) return wrong(`${file}: ${color} must be a number from 0 to 255, or #rrggbb.`);
    colors[color] = code;
  }
  return { ok: true, theme: { name, colors } };
}

function colorCode(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255)
    return `38;5;${value}`;
  const [, ...parts] =
    typeof value === 'string' ? (/^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(value) ?? []) : [];
  return parts.length === 3 ? `38;2;${parts.map((part) => Number.parseInt(part, 16)).join(';')}` : undefined;
}
