/** The choice of a theme: the settings, the background of the terminal, and files of the user. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { styleFor } from './style.ts';
import { ThemeChoice } from './theme.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-themes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nameAfter = (replies: readonly string[], env = {}, wanted = 'auto'): string => {
  const themes = new ThemeChoice(folder, env);
  themes.choose(wanted);
  for (const reply of replies) themes.takeReply(reply);
  return themes.theme.name;
};

describe('a theme', () => {
  it('follows the background that the terminal reports', () => {
    expect(nameAfter([])).toBe('dark');
    expect(nameAfter(['11;rgb:ffff/ffff/ffff'])).toBe('light');
    expect(nameAfter(['11;rgb:1e/1e/1e'])).toBe('dark');
    expect(nameAfter(['11;rgb:ffff/ffff/ffff', '11;rgb:0000/0000/0000'])).toBe('dark');
    expect(nameAfter(['11;garbage', '4;rgb:ffff/ffff/ffff'])).toBe('dark');
  });

  it('follows the variable of the terminal until a report arrives, and never overrides the user', () => {
    expect(nameAfter([], { COLORFGBG: '0;15' })).toBe('light');
    expect(nameAfter(['11;rgb:0/0/0'], { COLORFGBG: '0;15' })).toBe('dark');
    expect(nameAfter(['11;rgb:ffff/ffff/ffff'], {}, 'dark-colorblind')).toBe('dark-colorblind');
  });

  it('comes from a file of the user, and a wrong file is reported', () => {
    writeFileSync(path.join(folder, 'sea.json'), '{"base": "light", "cyan": "#0080ff", "red": 9}');
    writeFileSync(path.join(folder, 'broken.json'), '{"cyan": "blue"}');
    const themes = new ThemeChoice(folder);
    expect(themes.names).toEqual(expect.arrayContaining(['auto', 'light', 'sea', 'broken']));
    expect(themes.choose('sea')).toBe(undefined);
    expect(themes.theme.colors).toMatchObject({ cyan: '38;2;0;128;255', red: '38;5;9', green: '38;5;28' });
    expect(themes.choose('broken')).toContain('cyan must be a number from 0 to 255, or #rrggbb');
    expect(themes.choose('../sea')).toContain('There is no theme ../sea');
    expect(themes.theme.name).toBe('sea');
  });

  it('paints text, also around text with a color of its own', () => {
    const themes = new ThemeChoice(folder);
    const { paint } = styleFor({ plain: false, env: {}, themes });
    expect(paint('cyan', 'a')).toBe('\u001b[36ma\u001b[39m');
    themes.choose('light');
    expect(paint('red', `a${paint('green', 'b')}c`)).toBe(
      '\u001b[38;5;124ma\u001b[38;5;28mb\u001b[39m\u001b[38;5;124mc\u001b[39m',
    );
  });
});
