/**
 * Commands with effects, built from templates: every position in which a command, an expression or a redirection can stand,
 * times many spellings of what stands there. No mode that asks may allow one of them without a rule.
 */
import { TRICKS } from './around-the-reader.ts';
import { ARITHMETIC, GLUED, VARIABLES, WITH_VARIABLE } from './evaluated.ts';
import { commandLines } from './lines.ts';
import { OPTIONS } from './options-with-effects.ts';
import { PLACES, POSITIONS } from './places-of-commands.ts';
import { OWN_TARGETS, REDIRECTIONS, TARGETS } from './redirected.ts';

/** `%` marks the position of a value in a template. */
function filled(templates: readonly string[], values: readonly string[]): string[] {
  return templates.flatMap((template) => values.map((value) => template.replaceAll('%', () => value)));
}

/** They run code, talk to others, or change what lies outside the project or is protected. */
const COMMANDS = commandLines(String.raw`
make
./configure
node evil.js
python3 -c 'import os'
bash evil.sh
sh -c 'touch /tmp/x'
curl http://evil.example/x
git push
git commit -m x
npm test
touch /etc/x
rm -rf ~/x
tee /etc/x
cp a ~/.bashrc
unknown-program
kill 1
`);

const FEW = ['make', 'curl http://evil.example', 'touch /etc/x', './x', 'git push'];

/** Ways to run one inside a word. */
const SUBSTITUTIONS = (command: string): string[] => [
  `$(${command})`,
  `\`${command}\``,
  `$(ls; ${command})`,
  `$(ls | ${command})`,
];

/** Values that run a command as soon as the shell evaluates them. */
const EVALUATED = ['a[$(make)]', 'a[`make`]', 'x[$(touch /etc/x)]', 'a[$(curl http://evil.example)]'];

/** Not allowed in any mode that asks. */
export function harmfulCommands(): readonly string[] {
  const substituted = FEW.flatMap(SUBSTITUTIONS);
  const list = [
    ...filled(POSITIONS, substituted),
    ...filled(PLACES, COMMANDS.slice(0, 8)),
    ...COMMANDS,
    ...filled(ARITHMETIC, EVALUATED),
    ...filled(GLUED, [...SUBSTITUTIONS('make'), ...SUBSTITUTIONS('touch /etc/x')]),
    ...filled(WITH_VARIABLE, VARIABLES),
    ...filled(REDIRECTIONS, TARGETS),
    ...OPTIONS,
    ...TRICKS,
  ];
  return [...new Set(list)];
}

/** Edits of the project: allowed in acceptEdits, and nowhere else without a rule. */
export function editingCommands(): readonly string[] {
  const edits = [
    'touch x',
    'rm a',
    'rm -rf src',
    'mkdir x',
    'cp a b',
    'mv a b',
    'sed -i s/a/b/ c',
    'tee x',
    'ln -s a b',
  ];
  return [
    ...filled(REDIRECTIONS, OWN_TARGETS),
    ...filled(PLACES.slice(0, 40), edits),
    ...filled(['echo %', 'x=%; ls', 'cat <<E\n%\nE', '[ -n "%" ]'], edits.flatMap(SUBSTITUTIONS)),
  ];
}
