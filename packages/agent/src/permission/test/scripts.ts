/** Random shell scripts: built from commands that rules cover, with a place to put one that they do not. */
import fc from 'fast-check';

/** A script with slots; each slot is a command that a rule covers until something else is put there. */
export interface Script {
  readonly slots: number;
  render(commands: (slot: number) => string): string;
}

const COVERED = ['ok', 'ok a', 'ok a b', 'okb', "ok 'a b'", 'ok --flag=1', 'ok $?', 'ok *.ts'];
const UNCOVERED = [
  'bad',
  'bad a',
  './ok',
  'okx',
  'rm a',
  '$x',
  'X=1 ok',
  'ok > a',
  'env ok',
  'eval ok',
  'sudo ok',
  'ok a >> b',
];
export const RULES = { allow: ['Bash(ok *)', 'Bash(okb)', 'Bash(echo *)', 'Bash(cat *)'] };

export const coveredCommand = fc.constantFrom(...COVERED);
export const uncoveredCommand = fc.constantFrom(...UNCOVERED);

const slot: Script = { slots: 1, render: (commands) => commands(0) };

/** Puts scripts side by side into a text with `%1`, `%2` … */
function compose(template: string, ...scripts: readonly Script[]): Script {
  const starts: number[] = [];
  let slots = 0;
  for (const script of scripts) {
    starts.push(slots);
    slots += script.slots;
  }
  return {
    slots,
    render: (commands) =>
      template.replace(/%(\d)/g, (_, digit: string) => {
        const index = Number(digit) - 1;
        return scripts[index]?.render((inner) => commands((starts[index] ?? 0) + inner)) ?? '';
      }),
  };
}

const PAIRS = [
  '%1 && %2',
  '%1 || %2',
  '%1; %2',
  '{ %1; } | { %2; }',
  '{ %1; } |& { %2; }',
  '%1 & %2',
  '%1\n%2',
  '{ %1; %2; }',
  '( %1; %2)',
  'if %1; then %2; fi',
  'while %1; do %2; done',
  'until %1; do %2; done',
  'if %1; then ok; else %2; fi',
  'f() { %1; }; %2',
  'case $x in a) %1;; *) %2;; esac',
];
const SINGLES = [
  '( %1)',
  '{ %1; }',
  '! %1',
  'time %1',
  'for i in 1 2; do %1; done',
  'echo "$( %1)"',
  'echo $( %1)',
  'echo <( %1)',
  'timeout 5 ok && %1',
  'ok 2>&1 | { %1; }',
  '[[ -f x ]] && %1',
  'echo ${x:-$( %1)}',
  'cat <<< "$( %1)"',
  'x=$( %1)',
  'echo `%1`',
];

export const script: fc.Arbitrary<Script> = fc.letrec<{ script: Script }>((tie) => ({
  script: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(slot),
    fc.tuple(fc.constantFrom(...SINGLES), tie('script')).map(([template, inner]) =>
      // Backquotes within backquotes would need escapes.
      compose(
        template.includes('`') && inner.slots > 1 ? 'echo $( %1)' : template,
        inner.render(() => '').includes('`') ? slot : inner,
      ),
    ),
    fc
      .tuple(fc.constantFrom(...PAIRS), tie('script'), tie('script'))
      .map(([template, left, right]) => compose(template, left, right)),
  ),
})).script;

/** The same words in other quotes and with other spaces between them. */
export function respelled(words: readonly string[], choices: readonly number[]): string {
  return words
    .map((word, index) => {
      const choice = choices[index % choices.length] ?? 0;
      const spelling =
        [
          word,
          `'${word}'`,
          `"${word}"`,
          `${word.slice(0, 1)}''${word.slice(1)}`,
          `"${word.slice(0, 1)}"${word.slice(1)}`,
          `\\${word}`,
        ][choice % 6] ?? word;
      return spelling + (['', ' ', '  ', '\t', ' \\\n'][(choice >> 3) % 5] ?? '');
    })
    .join(' ');
}
