/**
 * Reads options as npm does, also pnpm and others with the same parser: any number of dashes, any number of `no-` before the
 * name, and the value after `=`.
 */
import { beginsOption } from './interpreters.ts';

interface NpmOption {
  readonly name: string;
  /** Undefined if the word does not contain one. The next word may be the value. */
  readonly value: string | undefined;
  readonly isNegated: boolean;
}

export function npmOption(word: string): NpmOption | undefined {
  const [, no = '', name = '', value] = /^-+((?:no-|config\.)*)([^=]*)(?:=(.*))?$/is.exec(word) ?? [];
  if (name === '') return undefined;
  return { name, value, isNegated: /no-/i.test(no) };
}

/** Packages and formats of these programs have short names, so that only a longer beginning counts. */
const SETTINGS =
  'sc|ript-shell she|ll node-|options node-|gyp gi|t ed|itor vi|ewer br|owser onl|oad-script init-|module init.|module pyt|hon';
/** Files with settings can contain all of these. */
const FILES =
  'userc|onfig globalc|onfig use-yarnrc pnpmfile global-pnpmfile npmrc-auth-file config-file npm-path';
const RUNS = beginsOption(`${SETTINGS} ${FILES}`, '');

/** Returns whether the word at the index is an option that names a program, or a file with settings. */
export function runsProgramByNpm(values: readonly string[], index: number): boolean {
  const option = npmOption(values[index] ?? '');
  if (option === undefined) return false;
  // Variables in the name are replaced.
  if (/[${}]/.test(option.name)) return true;
  if (!RUNS.test(option.name)) return false;
  // Without a value, the option is switched off.
  return !option.isNegated || option.value !== undefined || /^[^-]/.test(values[index + 1] ?? '');
}

/** Letters of npm that can be together in one word, after any number of dashes. */
const LETTERS = /^[aBcCdDEfghHlLmnNOpPqsSvwy?]+$/;

/** Returns whether a word makes a package manager install for all projects. */
export function installsGlobally(word: string): boolean {
  // Other package managers have more letters.
  if (/^-[a-zA-Z]{0,3}g[a-zA-Z]{0,2}$/.test(word)) return true;
  const option = npmOption(word);
  if (option === undefined) return false;
  const { name, value, isNegated } = option;
  if (/^loc[a-z]*$/.test(name)) return !/^(project|user)$/.test(value ?? '');
  if (name === 'global' || (LETTERS.test(name) && name.includes('g')))
    return isNegated ? value !== 'true' : value !== 'false';
  return false;
}

/** Returns whether a word of npm chooses the place of an installation with a letter. */
export function choosesLocation(word: string): boolean {
  const { name = '', value } = npmOption(word) ?? {};
  return LETTERS.test(name) && name.endsWith('L') && !/^(project|user)$/.test(value ?? '');
}
