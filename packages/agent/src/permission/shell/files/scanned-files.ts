/**
 * Formatters, linters and scanners: they work on the files below the folders in their words, or below the working folder. Some of them
 * also run code of the project.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { omitUndefined } from '@heddle/core';
import { argumentsOf } from './operands.ts';
import { HERE, partOfWord, type Touch, touch } from './touch.ts';

interface Scanner {
  readonly programs: RegExp;
  /** The first word. Without it, the program does something else. */
  readonly command?: RegExp;
  /** Other files are not opened. */
  readonly endings?: readonly string[];
  /** Words with which it changes files. Undefined if it never does. */
  readonly edits?: RegExp;
  /** Words with which it changes none, although its name says so. */
  readonly checks?: RegExp;
  /** Without a folder, it uses the working folder. */
  readonly isHere: boolean;
  /** Its words may name commands, packages or projects, so it may also open files below the working folder. */
  readonly isAlwaysHere?: true;
  /** Without this word, it leaves out the folders below. */
  readonly deepWith?: RegExp;
}

const list = (text: string): readonly string[] => text.split(' ').map((ending) => `.${ending}`);

const PYTHON = [...list('py pyi pyw ipynb md'), 'pyproject.toml'];
const TERRAFORM = list('tf tfvars tofu tftest.hcl tofutest.hcl tfmock.hcl tfquery.hcl');
const RUBY = [
  ...list('rb rake gemspec ru builder jbuilder podspec thor arb axlsx fcgi rabl rbi rbw opal'),
  'file',
];
/** With the files of plugins, and names such as `.prettierrc`. */
const WEB = [
  ...list(
    'js jsx mjs cjs es6 jsm ssjs ts tsx mts cts vue svelte astro json jsonc json5 jsonl geojson webmanifest importmap avsc gltf har ' +
      'topojson code-workspace code-snippets sublime-settings css pcss postcss scss sass less styl html htm xhtml xht hbs handlebars ' +
      'md markdown mdx mkd mdown yaml yml graphql gql graphqls toml xml svg php rb java kt py sql sh pug njk liquid ejs wxs wxml prisma',
  ),
  'rc',
];
const ALWAYS = /^/;

const SCANNERS: readonly Scanner[] = [
  {
    programs: /^(terraform|tofu|terragrunt)$/,
    command: /^(fmt|hclfmt)$/,
    endings: [...TERRAFORM, '.hcl'],
    edits: ALWAYS,
    checks: /^--?(check|write=false)$/,
    isHere: true,
    deepWith: /^--?recursive/,
  },
  {
    programs: /^ruff$/,
    command: /^(format|check|analyze)$/,
    endings: PYTHON,
    // Settings of the project can turn fixes on: `fix = true`.
    edits: /^(format|check)$/,
    checks: /^--(check|diff)$/,
    isHere: true,
  },
  {
    programs: /^biome$/,
    command: /^(check|format|lint|ci|search|migrate)$/,
    endings: WEB,
    edits: /^--(write|fix|apply|suppress)/,
    isHere: true,
  },
  { programs: /^prettierd?$/, endings: WEB, edits: /^(--write|-[a-vx-zA-Z\d_]*w\w*)$/, isHere: false },
  {
    programs: /^(eslint|eslint_d|oxlint|xo|standard|ts-standard)$/,
    endings: WEB,
    edits: /^--fix/,
    isHere: true,
  },
  { programs: /^stylelint$/, endings: WEB, edits: /^--fix/, isHere: false },
  { programs: /^dprint$/, command: /^fmt$/, edits: ALWAYS, checks: /^--diff$/, isHere: true },
  { programs: /^oxfmt$/, edits: ALWAYS, checks: /^--(check|list-different)$/, isHere: true },
  {
    programs: /^deno$/,
    command: /^(fmt|lint)$/,
    endings: WEB,
    edits: ALWAYS,
    checks: /^--check/,
    isHere: true,
  },
  // A file of the project can contain options: `.rubocop`.
  { programs: /^rubocop$/, endings: RUBY, edits: ALWAYS, isHere: true },
  // They look at files of any name.
  { programs: /^(typos|codespell)$/, edits: /^(-w|-\w*w|--write.*)$/, isHere: true },
  { programs: /^gitleaks$/, command: /^(detect|dir|directory|file|git|protect)$/, isHere: true },
  {
    programs: /^(trufflehog|ggshield|detect-secrets|trivy|checkov|jscpd|gitingest|yek|code2prompt)$/,
    isHere: true,
  },
  { programs: /^(repomix|files-to-prompt)$/, isHere: true },
  { programs: /^semgrep|^opengrep$/, edits: /^--autofix|^-a$/, isHere: true },
  { programs: /^e?ctags$/, isHere: false },
  {
    programs: /^(black|isort|pyupgrade)$/,
    endings: PYTHON,
    edits: ALWAYS,
    checks: /^(--check(-only)?|--diff|-c)$/,
    isHere: false,
  },
  {
    programs: /^(autopep8|yapf|autoflake|docformatter)$/,
    endings: PYTHON,
    edits: /^(-[a-hj-zA-Z\d_]*i\w*|--in-place|-\w*a)$/,
    isHere: false,
  },
  {
    programs:
      /^(flake8|pycodestyle|pydocstyle|pyflakes|pylint|bandit|vulture|d?mypy|(based)?pyright|tabnanny)$/,
    endings: [...PYTHON, ...list('cfg ini toml')],
    isHere: true,
  },
  {
    programs: /^cargo$/,
    command: /^(fmt|fix|--fix)$/,
    endings: ['.rs'],
    edits: ALWAYS,
    checks: /^--check$/,
    isHere: true,
    isAlwaysHere: true,
  },
  {
    programs: /^go$/,
    command: /^(fmt|fix)$/,
    endings: ['.go'],
    edits: ALWAYS,
    checks: /^-(n|diff)$/,
    isHere: true,
    isAlwaysHere: true,
  },
  {
    programs: /^dotnet$/,
    command: /^format$/,
    endings: list('cs vb fs csproj vbproj fsproj'),
    edits: ALWAYS,
    checks: /^--verify-no-changes$/,
    isHere: true,
    isAlwaysHere: true,
  },
  {
    programs: /^mix$/,
    command: /^format$/,
    endings: list('ex exs heex leex'),
    edits: ALWAYS,
    checks: /^--(check-formatted|dry-run)$/,
    isHere: true,
  },
  {
    programs: /^scalafmt$/,
    endings: list('scala sbt sc'),
    edits: ALWAYS,
    checks: /^--(test|check|list|stdout)$/,
    isHere: true,
  },
  { programs: /^standardrb$/, endings: RUBY, edits: /^--fix/, isHere: true },
  {
    programs: /^(php-cs-fixer|phpcbf|pint)$/,
    endings: list('php phtml inc'),
    edits: ALWAYS,
    checks: /^(--dry-run|--test|check)$/,
    isHere: true,
    isAlwaysHere: true,
  },
  {
    programs: /^swiftlint$/,
    endings: ['.swift'],
    edits: /^(--fix|--autocorrect|autocorrect)$/,
    isHere: true,
  },
  { programs: /^ktlint$/, endings: list('kt kts'), edits: /^(-F|--format)$/, isHere: true },
  { programs: /^buf$/, command: /^format$/, endings: ['.proto'], edits: /^(-w|--write)/, isHere: true },
  {
    programs: /^ast-grep$/,
    endings: [...WEB, ...PYTHON, ...list('c h cc cpp hpp cs go rs lua scala swift ex exs hs bash')],
    edits: /^(-\w*[Ui]|--update-all|--interactive)$/,
    isHere: true,
    isAlwaysHere: true,
  },
];

/** Options without a value. The word after another one may be its value. */
const FLAG =
  /^(--?(write|check|fix|fix-only|diff|recursive|list|list-different|quiet|silent|verbose|cache|color|stdout|preview|unsafe|unsafe-fixes|apply|apply-unsafe|staged|changed|debug|json|all|autofix|no-[\w-]+)|--[\w-]+=.*|-[wclvqsuaAx])$/;

/** Returns the files that a formatter, a linter or a scanner opens. */
export function scannedFiles(program: string, args: readonly ShellWord[]): Touch[] {
  return SCANNERS.filter(({ programs }) => programs.test(program)).flatMap((scanner) =>
    filesOfScanner(scanner, args),
  );
}

/** Returns the ends of the names of all files that such a program opens. */
export function scannedEndings(program: string): readonly string[] | undefined {
  return SCANNERS.find(({ programs }) => programs.test(program))?.endings;
}

function filesOfScanner(scanner: Scanner, args: readonly ShellWord[]): readonly Touch[] {
  const { command, endings, edits, checks, isHere, isAlwaysHere, deepWith } = scanner;
  const has = (option: RegExp | undefined): boolean => args.some(({ value }) => option?.test(value) === true);
  const at = command ? args.findIndex(({ value }) => command.test(value)) : -1;
  if ((command && at < 0) || has(/^(--version|--help|--stdin.*)$/)) return [];
  const { operands } = argumentsOf(args, []);
  const given = operands.filter((word) => args.indexOf(word) > at);
  const isCertain = (word: ShellWord): boolean => {
    const { value: before = '' } = args[args.indexOf(word) - 1] ?? {};
    return !before.startsWith('-') || before === '--' || FLAG.test(before);
  };
  const places = isHere && (isAlwaysHere === true || !given.some(isCertain)) ? [...given, HERE] : given;
  const changes = (edits === ALWAYS || has(edits)) && !has(checks);
  // Scanners for secrets, without endings here, also look at what git stores.
  const more = {
    staysInTree: true,
    skipsGit: endings !== undefined,
    ...(changes ? ({ knowledge: 'named' } as const) : {}),
  };
  return places.flatMap((word) => {
    if (word.kind === 'dynamic') return [];
    if (deepWith === undefined || has(deepWith))
      return [touch('read', word, 'all', { ...more, ...omitUndefined({ endings }) })];
    return [word, ...(endings ?? []).map((ending) => filesIn(word, ending))].map((each) =>
      touch('read', each, undefined, more),
    );
  });
}

function filesIn(folder: ShellWord, ending: string): ShellWord {
  return { ...partOfWord(folder, `${folder.value.replace(/(?<!\/)\/+$/, '')}/*${ending}`), kind: 'pattern' };
}
