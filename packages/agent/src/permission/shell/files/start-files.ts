/** Files that a shell or another program reads when it starts, because a variable names them: `BASH_ENV=x bash -c y`. */
import type { ShellWord, SimpleCommand } from '@heddle/tools/shell';
import { possibleValues, type WordScope } from '../possible-values.ts';
import { baseName, commandWords } from '../runners.ts';
import { mentions } from './files-of.ts';
import { literalWord, type Touch, touch, unknownWord } from './touch.ts';

const START_FILES =
  /^(?:BASH_ENV|ENV|PYTHONSTARTUP|MAKEFILES|R_PROFILE\w*|R_ENVIRON\w*|UV_ENV_FILE|COMPOSE_ENV_FILES|DOTENV_CONFIG_PATH|PIPENV_DOTENV_LOCATION)$/;
const ZSH_FILES = ['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.zlogout'];
/** They use `ENV`. For other programs, it is often the name of a stage. */
const USES_ENV = /^(?:\w*sh|su|sudo|doas|env|busybox)$/;

/** Returns the reads of files that variables of the command name: before it, or among the words of `env` and `export`. */
export function startFileTouches(command: SimpleCommand, scope: WordScope): Touch[] {
  const words = commandWords(command);
  const assigned = [
    ...command.assignments.flatMap(({ name, value }) => (value ? [{ name, value }] : [])),
    ...words.flatMap((word) => {
      const [, name, rest] = /^(\w+)\+?=(.+)$/s.exec(word.value) ?? [];
      return name === undefined || rest === undefined ? [] : [{ name, value: restOf(word, name, rest) }];
    }),
  ];
  return assigned.flatMap(({ name, value }) => {
    if (name !== 'ZDOTDIR' && !START_FILES.test(name))
      return words.length > 0 && value.kind === 'literal' ? mentions(value) : [];
    const values = possibleValues(value, scope)?.map(({ text }) => text);
    // The shell expands the value again.
    const texts = values?.every((text) => !/[$`]/.test(text)) === true ? values : undefined;
    if (texts === undefined) {
      const isPlain = name === 'ENV' && !words.some((word) => USES_ENV.test(baseName(word.value)));
      return isPlain ? [] : [touch('read', unknownWord(value.text))];
    }
    return texts.flatMap((text) => filesNamed(name, text)).map((file) => touch('read', literalWord(file)));
  });
}

function restOf(word: ShellWord, name: string, rest: string): ShellWord {
  const text = word.text.slice(word.text.indexOf('=') + 1);
  return word.kind === 'literal' || !word.text.startsWith(name)
    ? literalWord(rest)
    : { ...word, value: rest, text };
}

function filesNamed(name: string, text: string): readonly string[] {
  if (name === 'ZDOTDIR') return ZSH_FILES.map((file) => `${text}/${file}`);
  return (/^(MAKEFILES|UV_ENV_FILE|COMPOSE_ENV_FILES)$/.test(name) ? text.split(/[\s,]+/) : [text]).filter(
    (file) => file !== '',
  );
}
