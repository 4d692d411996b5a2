/** Random scripts from bash's own grammar, as its manual describes it. Shares no grammar, table or parser with the reader. */
import type { Dice } from '../fuzz.ts';
import { programCall } from './generate-program.ts';
import { arithmetic, name, subscript, word } from './generate-word.ts';
import { payload, target } from './payload.ts';

const DEPTH = 3;

export function randomScript(dice: Dice): string {
  return list(dice, 1 + dice.roll(DEPTH));
}

/** Commands with separators between them. */
function list(dice: Dice, depth: number): string {
  let text = pipeline(dice, depth);
  for (let more = dice.roll(10) < 7 ? 0 : 1 + dice.roll(2); more > 0; more--) {
    text += `${dice.pick(['; ', ' && ', ' || ', '\n', ' & ', ';'], '; ')}${pipeline(dice, depth)}`;
  }
  return text;
}

function pipeline(dice: Dice, depth: number): string {
  const prefix = dice.pick(['', '', '', '', '', '', '', '! ', 'time ', 'time -p '], '');
  let text = prefix + command(dice, depth);
  for (let more = dice.roll(8) < 6 ? 0 : 1; more > 0; more--)
    text += `${dice.pick([' | ', ' |& ', '|'], ' | ')}${command(dice, depth)}`;
  return text;
}

function command(dice: Dice, depth: number): string {
  if (depth <= 0 || dice.roll(10) < 7) return simple(dice, depth);
  const inner = (): string => list(dice, depth - 1);
  const it = name(dice);
  const wordHere = (): string => word(dice, depth - 1, list);
  const compounds = [
    () => `( ${inner()} )`,
    () => `(${inner()})`,
    () => `{ ${inner()}; }`,
    () => `if ${inner()}; then ${inner()}; fi`,
    () => `if ${inner()}; then ${inner()}; elif ${inner()}; then ${inner()}; else ${inner()}; fi`,
    () => `for ${it} in ${wordHere()} ${wordHere()}; do ${inner()}; done`,
    () => `for ${it} in ${wordHere()}\ndo ${inner()}\ndone`,
    () => `for ${it}; do ${inner()}; done`,
    () =>
      `for ((${arithmetic(dice, depth, list)}; 0; ${arithmetic(dice, depth, list)})); do ${inner()}; done`,
    () => `while false ${inner()}; do ${inner()}; done`,
    () => `until true; do ${inner()}; done`,
    () => `case ${wordHere()} in ${wordHere()}) ${inner()};; *) ${inner()};& (x|y) ${inner()};;& esac`,
    () =>
      `case ${wordHere()} in ${dice.pick(['a', '*', '?', '[a-z]', '"a"', '$x'], '*')}) ${inner()} ;; esac`,
    () => `select ${it} in ${wordHere()}; do ${inner()}; break; done`,
    () => `[[ ${test(dice, depth)} ]]`,
    () => `((${arithmetic(dice, depth, list)}))`,
    () => `${it}() { ${inner()}; }; ${it}`,
    () => `function ls { ${inner()}; }; ls`,
    () => `function ${it} ( ${inner()} )\n${it}`,
    () => `coproc ${dice.pick(['', 'C '], '')}{ ${inner()}; }`,
    () => `coproc ${simple(dice, depth - 1)}`,
  ];
  const text = dice.pick(compounds, () => 'ls')();
  return dice.roll(6) === 0 ? `${text} ${redirection(dice, depth)}` : text;
}

function test(dice: Dice, depth: number): string {
  const side = (): string => word(dice, depth - 1, list);
  return dice.pick(
    [
      () => `-${dice.pick('a b c d e f g h n o p r s t u v w x z G L N O R S'.split(' '), 'f')} ${side()}`,
      () =>
        `${side()} ${dice.pick(['==', '=', '!=', '=~', '<', '>', '-eq', '-ne', '-lt', '-gt', '-nt', '-ef'], '==')} ${side()}`,
      () => `! -f ${side()}`,
      () => `( -f a && ${side()} ) || -n ${side()}`,
      () => side(),
      () => `'a[$(${payload(dice)})]' -eq 0`,
      () => `-v 'a[$(${payload(dice)})]'`,
    ],
    () => '-f a',
  )();
}

function simple(dice: Dice, depth: number): string {
  const parts: string[] = [];
  if (dice.roll(12) === 0) parts.push(assignment(dice, depth));
  const kind = dice.roll(24);
  if (kind === 0) parts.push(assignment(dice, depth));
  else if (kind === 1) parts.push(payload(dice));
  else if (kind === 2) parts.push(word(dice, depth, list), word(dice, depth, list));
  else if (kind === 3) parts.push(redirection(dice, depth));
  else if (kind === 4) parts.push(`${assignment(dice, depth)}${word(dice, depth, list)}`);
  else parts.push(programCall(dice));
  if (depth > 0)
    for (let more = dice.roll(6) === 0 ? 1 + dice.roll(2) : 0; more > 0; more--)
      parts.push(word(dice, depth, list));
  if (dice.roll(9) === 0) parts.splice(dice.roll(parts.length + 1), 0, redirection(dice, depth));
  if (dice.roll(40) === 0) parts.push(`# ${payload(dice)}`);
  return parts.join(dice.roll(60) === 0 ? ' \\\n ' : ' ');
}

function assignment(dice: Dice, depth: number): string {
  const it = name(dice);
  const value = (): string => word(dice, depth - 1, list);
  return dice.pick(
    [
      () => `${it}=${value()}`,
      () => `${it}+=${value()}`,
      () => `${it}=(${value()} ${value()})`,
      () => `${it}=()`,
      () => `${it}+=(${value()})`,
      () => `${it}=([${subscript(dice, depth, list)}]=${value()})`,
      () => `${it}[${subscript(dice, depth, list)}]=${value()}`,
      () => `${it}=(${value()})${value()}`,
      () => `${it}='a[$(${payload(dice)})]'`,
      () => `y='a[$(${payload(dice)})]'; ${it}[y]=1`,
      () => `LC_ALL=C`,
    ],
    () => 'x=1',
  )();
}

function redirection(dice: Dice, depth: number): string {
  const fd = dice.pick(['', '', '', '1', '2', '3', '{fd}', '{PATH}', '9'], '');
  const end = dice.pick(['E', 'EOF', "'E'", '"E"', '\\E', '-E'], 'E');
  const bare = end.replaceAll(/['"\\-]/g, '');
  return dice.pick(
    [
      () => `${fd}>${dice.pick(['', '|', '>'], '')}${target(dice)}`,
      () => `> ${word(dice, depth - 1, list)}`,
      () => `${fd}< ${dice.pick(['a', 'b', '/dev/null', word(dice, depth - 1, list)], 'a')}`,
      () => `${fd}<>${target(dice)}`,
      () => `&>${dice.pick(['>', ''], '')}${target(dice)}`,
      () =>
        dice.pick(
          [
            '2>&1',
            '>&2',
            '2>/dev/null',
            '>/dev/null',
            '<&-',
            '>&-',
            '2>&-',
            '3>&1',
            '<&3',
            '3<&0-',
            '>&/dev/null',
          ],
          '2>&1',
        ),
      () => `>&${target(dice)}`,
      () => `<<< ${word(dice, depth - 1, list)}`,
      () =>
        `<<${end}\n${dice.pick(['text', '$x', `$(${payload(dice)})`, `\`${payload(dice)}\``, `\${x:-$(${payload(dice)})}`, '$((1))', '\\$(x)', `'$(${payload(dice)})'`], 'text')}\n${bare}\n`,
      () => `<<-E\n\ttext $(${depth > 0 ? list(dice, depth - 1) : 'ls'})\n\tE\n`,
      () => `< <(${depth > 0 ? list(dice, depth - 1) : 'ls'})`,
      () => `> >(${depth > 0 ? list(dice, depth - 1) : 'ls'})`,
    ],
    () => '2>&1',
  )();
}
