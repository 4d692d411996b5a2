/** A script among the words of a command is decided like one that is written. */
import { describe, expect, it } from 'vitest';
import { shell } from './test/ask.ts';
import { THEMES } from './test/table/themes.ts';

/** Of so many commands of a theme, one is tried. */
const STEP = process.env['HEDDLE_PROVE'] === '1' ? 1 : 24;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const FORMS: readonly (readonly [string, (script: string) => string])[] = [
  ['bash -c', (script) => `bash -c ${quoted(script)}`],
  ['eval', (script) => `eval ${quoted(script)}`],
  ['a runner', (script) => `timeout 5 sh -c ${quoted(script)}`],
  ['a here-document', (script) => `bash <<'END OF SCRIPT'\n${script}\nEND OF SCRIPT`],
];

describe.each(FORMS)('with %s', (_, form) => {
  it('no command of the table that is asked about or denied is allowed by a rule for all commands', () => {
    const allowed = THEMES.flatMap(
      ({ theme: _theme, allowed: _allowed, asked = [], denied = [], ...setting }) => {
        const rules = { ...setting.rules, allow: ['Bash'] };
        return [...asked, ...denied].filter((command, index) => {
          if (index % STEP > 0) return false;
          const written = shell(command, { ...setting, rules }).decision;
          return written !== 'allow' && shell(form(command), { ...setting, rules }).decision === 'allow';
        });
      },
    );
    expect(allowed).toEqual([]);
  });
});
