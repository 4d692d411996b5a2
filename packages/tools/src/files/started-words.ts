/** Finds the words of a simple command that name a program or a script to start. Such a file counts before it exists. */
import path from 'node:path';
import { FOLDER_OPTION } from './entered-folders.ts';

/** Programs whose first operand is a script. */
const INTERPRETER =
  /^(\.|source|(ba|da|z|k|mk|fi|a|c|tc|yash|pw)?sh|node(js)?|nodemon|electron|tsx|ts-node|vite-node|python[\w.]*|pypy[\w.]*|ruby|perl|php|lua(jit)?|Rscript|expect|tclsh|wish|osascript|groovy|bun|deno)$/;

/** Their operands can also be names of tasks. */
const HAS_TASKS = /^(bun|deno)$/;

/** Their first operand is the name of a package or a program, or a path. */
const PACKAGE_RUNNER = /^(npx|pnpx|bunx|uvx|uv|pipx)$/;
const RUNS = /^(run|tool)$/;
const OWN_PATH = /^(\.{0,2}|~)\/|\.py$/;

/** The next word is a value that is not run: `bash -o pipefail x`, `node -r dotenv/config x`. */
const TAKES_VALUE = /^[-+]\w*[rWX]$/;
const TAKES_VALUE_IN_SHELL = /^[-+]\w*[oO]$/;
/** The next word may be a value, or the script. */
const MAY_TAKE_VALUE = /^(-\w*[oOI]|--[\w-]+)$/;

const SHELL = /^(ba|da|z|k|mk|fi|a|c|tc|yash|pw)?sh$/;
/** After these, the operands are data. `-e` of a shell takes no text. */
const ENDS = /^-[A-Za-z]*[cemp]$/;
const ENDS_OF_SHELL = /^-[A-Za-z]*c$/;

/** A program follows these words. */
const BEFORE_PROGRAM =
  /^([!{]|exec|eval|sudo|doas|env|command|builtin|nice|nohup|time|xargs|setsid|then|do|else|if|elif|while|until|\w+=.*)$/;

/** A program follows these words and their values: `timeout 5 ./x`, `flock lock ./x`. */
const LIMITER = /^(g?timeout|nice|ionice|taskset|chrt|stdbuf|cpulimit|prlimit|flock|chroot)$/;
const IS_NUMBER = /^[-+]?\d[\w.,:]*$/;
const NEEDS_FILE = /^(flock|chroot)$/;

/** The value of such an option is often a script, or settings with commands: `ssh -F x`, `awk -f x`, `vim -S x`. */
const FILE_OPTION = /^-[A-Za-z]*[fFS]$/;

/** The value of such an option names code or settings. */
const LONG_FILE_OPTION =
  /^--(?:config(?:-file)?|rcfile|rc-file|init-file|init-script|require|import|loader|experimental-loader|preload|plugin|hook|script|exec|file)$/;

/** Options of these programs name data. */
const TAKES_DATA_FILE =
  /^(?:test|\[\[?|rm|cp|mv|ln|mkdir|rmdir|touch|cat|ls|echo|printf|grep|egrep|fgrep|rg|cut|head|tail|sort|uniq|wc|diff|cmp|tar|zip|unzip|gzip|git|gcc|g\+\+|cc|clang|chmod|chown|readlink|realpath|dirname|basename|stat|date|jq|yq|docker|docker-compose|podman|kubectl|helm)$/;

/** Not a pattern, an address or a text of a program. */
const PLAIN_PATH = /^[^\s*?[\]{}|&;<>()$`"'\\!:=#,][^*?[\]{}|&;<>()$`"'\\!:=#]*$/u;

/** A longer path cannot exist. */
const MOST_LETTERS = 1024;

/** `words`: those of one simple command, without quotes. */
export function startedWords(words: readonly string[]): readonly string[] {
  const found: string[] = [];
  let isStart = true;
  let hasRunner = false;
  /** The next word that is not an option is a file of the runner. */
  let needsFile = false;
  let interpreter: string | undefined;
  let hasDataOptions = false;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? '';
    const isPath = word.includes('/') || word.includes('.');
    if (isStart) {
      // `env -C x ./y` starts `./y`.
      if (FOLDER_OPTION.test(before)) continue;
      const base = path.posix.basename(word);
      const runsNext = LIMITER.test(base) || BEFORE_PROGRAM.test(base) || BEFORE_PROGRAM.test(word);
      const isValue = hasRunner && !word.includes('/') && (before.startsWith('-') || IS_NUMBER.test(word));
      isStart = runsNext || isValue || needsFile || (word.startsWith('-') && at > 0);
      hasRunner ||= runsNext;
      needsFile = NEEDS_FILE.test(base) || (needsFile && word.startsWith('-'));
      if (!isStart && word.includes('/')) found.push(word);
      hasDataOptions = !isStart && TAKES_DATA_FILE.test(path.posix.basename(word));
    }
    const name = path.posix.basename(word);
    const [option = '', value] = word.split('=', 2);
    if (!hasDataOptions && LONG_FILE_OPTION.test(before) && isPath) found.push(word);
    if (!hasDataOptions && LONG_FILE_OPTION.test(option) && /[/.]/.test(value ?? '')) found.push(value ?? '');
    const isRunner = interpreter === undefined && PACKAGE_RUNNER.test(name);
    if (isRunner || (INTERPRETER.test(name) && (interpreter === undefined || !isPath))) interpreter = name;
    else if (!hasDataOptions && FILE_OPTION.test(before) && isPath) found.push(word);
    else if (!hasDataOptions && /^-[fFS]\w*[./]/.test(word)) found.push(word.slice(2));
    else if (interpreter !== undefined && word.startsWith('-')) {
      if ((SHELL.test(interpreter) ? ENDS_OF_SHELL : ENDS).test(word)) {
        // A text of one word is the name of a program.
        const text = words[at + 1] ?? '';
        if (SHELL.test(interpreter) && text.includes('/') && !/\s/.test(text)) found.push(text);
        interpreter = undefined;
      }
    } else if (interpreter !== undefined && !/^\w+=/.test(word)) {
      const takesValue = SHELL.test(interpreter) ? TAKES_VALUE_IN_SHELL : TAKES_VALUE;
      if (takesValue.test(before) && !/^[./~]/.test(word)) continue;
      const isOfPackages = PACKAGE_RUNNER.test(interpreter);
      if (isOfPackages && RUNS.test(word)) continue;
      if (isOfPackages ? OWN_PATH.test(word) : isPath || !HAS_TASKS.test(interpreter)) found.push(word);
      if (!MAY_TAKE_VALUE.test(before) && !HAS_TASKS.test(interpreter)) interpreter = undefined;
    }
  }
  return found.filter(
    (word) => word.length <= MOST_LETTERS && PLAIN_PATH.test(word) && !/^[./]*$/.test(word),
  );
}
