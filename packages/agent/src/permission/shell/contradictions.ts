/**
 * Finds words that undo what a rule is limited to. A rule for a form that only checks or prints does not cover a word with which
 * the program does more: `bash -n +n x`, `git branch -v -D x`.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { wordsWithStars } from '../rules/command-pattern.ts';
import { findUnnamedTarget } from '../rules/make-rules.ts';
import { gitArguments } from './files/git-arguments.ts';
import { isSedInPlace } from './files/operands.ts';
import { findOtherAddress } from './limited-addresses.ts';
import { findUndoingOption, type LimitingWords } from './repeated-options.ts';
import { baseName } from './runners.ts';
import { optionPattern } from './short-options.ts';

type WordTest = RegExp | ((word: string) => boolean);

/** Letters and options with which formatters print names or differences. */
const CHECKING_FORMAT = /^(-[abf-kmo-zA-Z]*[cdlne][a-zA-Z]*|--?(check|dry-?run|diff|list|lint|verify).*)$/;

/** Programs, a word of a rule with which they only check, print or do less, and the words that make them do more. */
const CONTRADICTIONS: readonly (readonly [RegExp, RegExp, WordTest])[] = [
  [/^g?sed$/, /^(-[a-mo-zA-Z]*n[a-zA-Z]*|--q[a-z]*|--si[a-z]*)$/, isSedInPlace],
  // An interactive shell ignores `-n`, and `-o exec` of zsh switches it off.
  [/^(bash|sh|zsh|dash|ksh)$/, /^-n$/, /^\+|^-(?!-)[a-zA-Z]*[io]|^--e/],
  [
    /^node$/,
    /^(-c|--check)$/,
    /^-(?!c$|-check$|-no-(warnings|deprecation)|-experimental-(strip|transform)-types$|-input-type=|-trace-[a-z-]+$|-enable-source-maps$|-max-[a-z-]+=|-stack-[a-z-]+=).+/,
  ],
  [/^perl$/, /^-c$/, optionPattern({ letters: 'eEMmId' })],
  [/^ruby$/, /^-c$/, optionPattern({ letters: 'erI' })],
  [/^php$/, /^-l$/, optionPattern({ letters: 'rdzFRB', valued: 'cf', long: 'run|def|zend' })],
  [/^git reset$/, /^(--s[a-z]*|--mi[a-z]*|-N|--int[a-z-]*|HEAD.*|@.*)$/, /^--(h|me|k)/],
  [
    /^git restore$/,
    /^(--st[a-z]*|-[a-zA-RT-Z]*S[a-zA-Z]*)$/,
    optionPattern({ letters: 'W', valued: 's', long: 'w' }),
  ],
  [
    /^git remote$/,
    /^(-v+|--verb[a-z]*)$/,
    /^(add|rename|remove|rm|set-head|set-branches|set-url|prune|update)$/,
  ],
  [
    /^git branch$/,
    /^(-[varl]+|--(verb|all|rem|li|show-c|merg|no-merg|con|no-con|points|sort|format|column).*)$/,
    optionPattern({ letters: 'dDmMcCfut', long: 'd|mo|cop|forc|set-|u|tr|edit|create-' }),
  ],
  [
    /^git tag$/,
    /^(-l|-n\d*|--(li|merg|no-merg|con|no-con|points|sort|format|column).*)$/,
    optionPattern({ letters: 'dafsmFue', valued: 'n', long: 'd|an|forc|sig|mes|fi|loc|ed|create-' }),
  ],
  [/^git apply$/, /^--(check|stat|numstat|summary)$/, /^--app/],
  [/^git (merge|pull)$/, /^--ff-only$/, /^(--ff|--no-f.*|-r.*|--reb.*)$/],
  [
    /^git push$/,
    /^--force-(w|i)/,
    new RegExp(`${optionPattern({ letters: 'fd', valued: 'o' }).source}|^(--force$|--m|--pru|--de|\\+|:.)`),
  ],
  [
    /^git (checkout|switch)$/,
    /^(-[bc]|--cr?[a-z]*|--or?[a-z]*)$/,
    optionPattern({ letters: 'fBC', valued: 'bc', long: 'f|di' }),
  ],
  // They change the files that they check.
  [
    /^/,
    /^--?(check(-only)?|dry-?run|diff|list-different|lint|verify|noop|syntax-check|fix-dry-run)(=.*)?$/,
    /^--?(write|fix|in-?place|apply|replace|overwrite|auto-?correct(-all)?|fix-layout)(=(?!false$).*)?$/i,
  ],
  [
    /^(prettier|gofmt|goimports|gofumpt|shfmt|buf|codespell|typos)$/,
    CHECKING_FORMAT,
    /^(-[a-zA-Z]{0,2}w[a-zA-Z]{0,2}|--write)(=(?!false$).*)?$/,
  ],
  [
    /^(clang-format|autopep8|yapf|autoflake|docformatter)$/,
    CHECKING_FORMAT,
    /^-[a-zA-Z]{0,2}i[a-zA-Z]{0,2}$/,
  ],
  [/^(rubocop|standardrb|ktlint)$/, CHECKING_FORMAT, /^-[a-zA-Z]{0,2}[aAxF][a-zA-Z]{0,2}$|^--(fix|auto)/],
  [/^xmllint$/, /^--?noout$/, /^(--?output|-o|--?shell)/],
  [/^openssl$/, /^-noout$/, /^--?(out|keyout)$/],
  [/^wget$/, /^--spider$/, /^--(post|body|met|delete)/],
  [
    /^curl$/,
    /^(GET|HEAD|-[a-zA-Z]*X(GET|HEAD)|--req[a-z]*=(GET|HEAD))$/,
    optionPattern({ letters: 'T:', valued: 'AbcCdDeEFhHKmoPQrtuUwxXyYz', long: 'upl|nex' }),
  ],
  [
    /^curl$/,
    /^(-[a-zA-Z]*[IG]|--head|--get)$/,
    optionPattern({
      letters: 'TXF:',
      valued: 'AbcCdDeEhHKmoPQrtuUwxyYz',
      long: 'upl|nex|form|req[a-z]*(?!-)',
    }),
  ],
  [
    /^curl$/,
    /^(-[a-zA-Z]*I|--head)$/,
    optionPattern({ letters: 'd', valued: 'AbcCDeEFhHKmoPQrtTuUwxXyYz', long: 'data|json' }),
  ],
  [
    /^apt(-get|itude)?$/,
    /^(-[sd]|--(simulate|just-print|dry-run|recon|no-act|download-only|print-uris))$/,
    /^(-[a-zA-Z]*[oc]|--opt|--conf)/,
  ],
  [
    /^g?mv$/,
    /^(-[a-hj-mo-zA-Z]*[ni][a-zA-Z]*|--(no-c|int)[a-z-]*)$/,
    optionPattern({ letters: 'f', valued: 'tS', long: 'f|u[a-z]*=a|e' }),
  ],
  [
    /^g?cp$/,
    /^(-[a-hj-mo-zA-Z]*[ni][a-zA-Z]*|--(no-c|int)[a-z-]*)$/,
    optionPattern({ letters: 'f', valued: 'tS', long: 'f|rem|u[a-z]*=a' }),
  ],
  [
    /^g?rm$/,
    /^(-[a-hj-zA-HJ-Z]*[iI][a-zA-Z]*|--i[a-z]*(=.*)?)$/,
    optionPattern({ letters: 'f', long: 'f|i[a-z]*=n' }),
  ],
  [
    /^(g|bsd)?tar$/,
    /^(-[a-jl-zA-Z]*k[a-zA-Z]*|--(keep|skip)-[a-z-]*)$/,
    optionPattern({ letters: 'U', valued: 'fCTXbgKLNVHIF', long: 'overw|unl|recursiv' }),
  ],
  [/^crontab$/, /^-l$/, /^-[a-z]*[re]/],
  [/^bwrap$/, /^--unshare-(all|net)$/, /^--share-net$/],
  [
    /^(docker|podman|nerdctl)$/,
    /^--(cap-drop|read-only|net|security-opt|user)/,
    /^--(privileged|cap-add)(=(?!false$)|$)/,
  ],
  // A search with a place or a condition. A rule for the whole program is meant for everything that it does.
  [/^g?find$/, /^(?!(\S*\/)?(g?find|sudo|env|time|timeout|nice)$)/, /^-(delete|fprint.*|fls|exec.*|ok.*)$/],
];

/**
 * Returns the word that undoes what the rule is limited to, in one of the commands that the words run. The first command is the
 * whole one.
 */
export function findContradiction(
  specifier: string,
  commands: readonly (readonly ShellWord[])[],
): string | undefined {
  const rule = wordsWithStars(specifier);
  const isCut = /[^\s:*]\*+(?:[ :]\*+)?$/.test(specifier);
  const isSplit = specifier.replace(/(?:[:\s]|(?<!\*))\*+$/, '').includes('*');
  for (const [index, words] of commands.entries()) {
    const program = baseName(words[0]?.value ?? '');
    const at = rule.findIndex((text) => baseName(text) === program);
    if (at < 0 && index > 0) continue;
    const limiting: LimitingWords = { words: rule.slice(at + 1), isCut, isSplit };
    const found =
      findActingWord(limiting.words, words) ??
      findUndoingOption(limiting, words) ??
      findOtherAddress(program, limiting, words.slice(1)) ??
      findUnnamedTarget(program, limiting, words.slice(1));
    if (found !== undefined) return found.text;
  }
  return undefined;
}

/** Returns a word that makes the program do more than the form that the words of the rule mean. */
function findActingWord(
  rule: readonly string[],
  [name, ...args]: readonly ShellWord[],
): ShellWord | undefined {
  const program = baseName(name?.value ?? '');
  const called = program === 'git' ? `git ${gitArguments(args).command}` : program;
  for (const [programs, checking, more] of CONTRADICTIONS) {
    if (!programs.test(called) || !rule.some((text) => checking.test(text))) continue;
    const doesMore = typeof more === 'function' ? more : (word: string): boolean => more.test(word);
    const found = rule.some(doesMore) ? undefined : args.find(({ value }) => doesMore(value));
    if (found !== undefined) return found;
  }
  return undefined;
}
