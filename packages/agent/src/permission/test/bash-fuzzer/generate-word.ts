/** Random words of bash, with every kind of quoting and expansion, nested in one another. Shares nothing with the reader. */
import type { Dice } from '../fuzz.ts';
import { payload } from './payload.ts';

/** Makes a script; given by the generator of commands, since the two need each other. */
export type MakeScript = (dice: Dice, depth: number) => string;

const NAMES = [
  'x',
  'y',
  'a',
  'arr',
  'PATH',
  'IFS',
  'HOME',
  'REPLY',
  'BASH_ENV',
  'OPTARG',
  'i',
  '_',
  'GIT_DIR',
  'PWD',
];
const LITERALS =
  'a b src src/x.ts link docs . .. -n -l -a -r -1 -- - HEAD main x=1 x=~ y=~root 1 0 10 foo o one @ % + , : ! # = ~ ] [ { }'.split(
    ' ',
  );
const GLOBS = [
  '*',
  '?',
  '*.ts',
  'src/*',
  '[a-c]',
  '[!x]',
  '**',
  './*',
  'a*',
  '@(a|b)',
  '!(x)',
  '+(a)',
  '?(b)',
  '*([a-z])',
];
/** In those with quotes, bash finds one list over several parts of the word. */
const BRACES = [
  '{a,b}',
  '{1..3}',
  '{a,b}{c,d}',
  '{,x}',
  '{a..c}',
  'a{b,c}',
  '{$x,b}',
  '{x},b}',
  '{x}"",-o,MARK}',
  "{-t}'',-oMARK}",
  '{x""},--output=MARK}',
  '{a}{b}"",-delete}',
  "{x}$'',-exec,touch,MARK,;}",
];
const SPECIAL = ['$?', '$#', '$$', '$!', '$@', '$*', '$0', '$1', '$-', '"$@"', '$_'];

export function name(dice: Dice): string {
  return dice.pick(NAMES, 'x');
}

export function word(dice: Dice, depth: number, script: MakeScript): string {
  const count = dice.roll(6) === 0 ? 2 + dice.roll(2) : 1;
  let text = '';
  for (let part = 0; part < count; part++) text += piece(dice, depth, script);
  return text;
}

function piece(dice: Dice, depth: number, script: MakeScript): string {
  const kind = dice.roll(depth > 0 ? 20 : 11);
  switch (kind) {
    case 0:
      return `'${hidden(dice).replaceAll("'", '')}'`;
    case 1:
      return `"${dice.pick(LITERALS, 'a')}"`;
    case 2:
      return `$'${dice.pick(['a', String.raw`\t`, String.raw`\x24(touch MARK)`, String.raw`\'`, String.raw`a\nb`, String.raw`\u0060touch MARK\u0060`], 'a')}'`;
    case 3:
      return dice.pick(GLOBS, '*');
    case 4:
      return dice.pick(BRACES, '{a,b}');
    case 5:
      return dice.pick(['~', '~+', '~-', '~/a', '~root', '~daemon/x', 'x=~', 'x:~', '~"/a"'], '~');
    case 6:
      return dice.pick(
        [
          String.raw`a\ b`,
          String.raw`\$x`,
          String.raw`\"`,
          '\\\n',
          String.raw`\a`,
          String.raw`\\`,
          String.raw`\;`,
        ],
        'a',
      );
    case 11:
      return parameter(dice, depth - 1, script);
    case 12:
      return `"${inDoubleQuotes(dice, depth - 1, script)}"`;
    case 13:
      return `$(${script(dice, depth - 1)})`;
    case 14:
      return backquoted(script(dice, depth - 1));
    case 15:
      return `$((${arithmetic(dice, depth - 1, script)}))`;
    case 16:
      return dice.pick([`<(${script(dice, depth - 1)})`, `>(${script(dice, depth - 1)})`], 'a');
    case 17:
      return `$[${arithmetic(dice, depth - 1, script)}]`;
    case 18:
      return dice.pick(SPECIAL, '$?');
    case 19:
      return parameter(dice, depth - 1, script);
    default:
      return dice.pick(LITERALS, 'a');
  }
}

/** Text that runs something if a reader or a shell looks at it once more than it should. */
function hidden(dice: Dice): string {
  const run = payload(dice);
  return dice.pick(
    [
      'a b',
      'a',
      '',
      `$(${run})`,
      `\`${run}\``,
      `a[$(${run})]`,
      `;${run};`,
      `x[$(${run})]=1`,
      `\${x:-$(${run})}`,
      `"$(${run})"`,
    ],
    'a',
  );
}

function backquoted(script: string): string {
  return `\`${script.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

function inDoubleQuotes(dice: Dice, depth: number, script: MakeScript): string {
  const parts = [
    () => dice.pick(LITERALS, 'a'),
    () => parameter(dice, depth, script),
    () => `$(${script(dice, depth)})`,
    () => backquoted(script(dice, depth)),
    () => `$((${arithmetic(dice, depth, script)}))`,
    () => dice.pick([String.raw`\"`, String.raw`\$x`, "'", String.raw`\``, ' '], ' '),
    () => `\${x:-'${hidden(dice).replaceAll("'", '')}'}`,
  ];
  return Array.from({ length: 1 + dice.roll(3) }, () => dice.pick(parts, () => 'a')()).join('');
}

/** Every form of parameter expansion in the manual of bash. */
function parameter(dice: Dice, depth: number, script: MakeScript): string {
  const it = name(dice);
  const inner = (): string => (depth > 0 ? word(dice, depth - 1, script) : dice.pick(LITERALS, 'a'));
  const count = (): string => arithmetic(dice, depth - 1, script);
  const forms = [
    () => `$${it}`,
    () => `\${${it}}`,
    () => `\${${it}${dice.pick([':-', '-', ':=', '=', ':?', '?', ':+', '+'], ':-')}${inner()}}`,
    () => `\${${it}:${count()}}`,
    () => `\${${it}:${count()}:${count()}}`,
    () => `\${#${it}}`,
    () => `\${!${it}}`,
    () => `\${!${it}@}`,
    () => `\${!${it}[@]}`,
    () => `\${${it}${dice.pick(['#', '##', '%', '%%'], '#')}${inner()}}`,
    () => `\${${it}${dice.pick(['/', '//', '/#', '/%'], '/')}${inner()}/${inner()}}`,
    () => `\${${it}${dice.pick(['^', '^^', ',', ',,', '~', '~~'], '^')}${dice.pick(['', 'a'], '')}}`,
    () => `\${${it}@${dice.pick(['Q', 'P', 'E', 'A', 'a', 'U', 'u', 'L', 'K', 'k'], 'Q')}}`,
    () => `\${${it}[${subscript(dice, depth, script)}]}`,
    () => `\${${it}[${subscript(dice, depth, script)}]:-${inner()}}`,
    () => `\${#${it}[${dice.pick(['@', '*', '0'], '@')}]}`,
    () => `\${@:${count()}}`,
  ];
  return dice.pick(forms, () => '$x')();
}

export function subscript(dice: Dice, depth: number, script: MakeScript): string {
  return dice.pick(
    [
      () => '0',
      () => '@',
      () => '*',
      () => arithmetic(dice, depth - 1, script),
      () => `'${hidden(dice).replaceAll("'", '')}'`,
      () => 'y',
      () => '$y',
    ],
    () => '0',
  )();
}

export function arithmetic(dice: Dice, depth: number, script: MakeScript): string {
  const it = name(dice);
  const simple = [
    '1',
    '0',
    it,
    `$${it}`,
    '1+2',
    `${it}=1`,
    `${it}++`,
    `PATH=0`,
    `${it}[0]`,
    `-1`,
    '1?2:3',
    '16#f',
    `'1'`,
    `${it}, 2`,
    '',
    ' 1 ',
  ];
  if (depth <= 0 || dice.roll(2) === 0) return dice.pick(simple, '1');
  const deep = [
    () => `${it}[$(${script(dice, depth - 1)})]`,
    () => `$(${script(dice, depth - 1)})`,
    () => `\`${script(dice, depth - 1)}\``,
    () => `${arithmetic(dice, depth - 1, script)} + ${arithmetic(dice, depth - 1, script)}`,
    () => `(${arithmetic(dice, depth - 1, script)})`,
    () => `${it} = ${arithmetic(dice, depth - 1, script)}`,
    () => parameter(dice, depth - 1, script),
    () => `${it}[${subscript(dice, depth - 1, script)}]`,
    () => `'${hidden(dice).replaceAll("'", '')}'`,
  ];
  return dice.pick(deep, () => '1')();
}
