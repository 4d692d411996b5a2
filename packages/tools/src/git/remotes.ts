/** Finds the addresses of remotes in the settings of a repository that are on this machine. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { ScopedSetting } from './config-files.ts';
import type { GitRepository } from './repository.ts';

/** An address with a protocol of the network, or `host:path`. */
const OF_NETWORK = /^((https?|ssh|git|git\+ssh|ssh\+git|ftps?):\/\/|[^/:\s]{2,}:(?!:|\/\/))/i;

const ADDRESS = /^(remote\.(.*)\.(url|pushurl)|lfs\.(url|pushurl))$/s;
/** The name of a remote, or an address. */
const REMOTE = /^(branch\..*\.(remote|pushremote)|remote\.pushdefault)$/s;
/** Replaces the beginning of an address. */
export const REPLACED = /^url\.(.*)\.(push)?insteadof$/s;
const SUBMODULE = /^submodule\..*\.url$/s;

/** Git replaces the beginning of an address. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
}

export function replacementsIn(settings: readonly ScopedSetting[]): readonly Replacement[] {
  return settings.flatMap(({ key, value = '' }) => {
    const to = REPLACED.exec(key)?.[1];
    return to === undefined ? [] : [{ from: value, to }];
  });
}

/**
 * Returns the settings whose addresses lead git to a folder of this machine, or to another program than those for the network, and older
 * files with addresses.
 */
export function localAddresses(settings: readonly ScopedSetting[], commonDir: string): readonly string[] {
  const isLocal = localSetting(settings);
  const isReplaced = ({ key }: ScopedSetting): boolean => {
    const to = REPLACED.exec(key)?.[1];
    return to !== undefined && !OF_NETWORK.test(to);
  };
  const named = settings.filter((setting) => isLocal(setting) || isReplaced(setting));
  return [...named.map(({ key }) => key), ...olderRemotes(commonDir)];
}

/** Returns the local addresses, and all that a setting replaces. Undefined: one in an older file, which is not read. */
export function addressesOf(
  settings: readonly ScopedSetting[],
  { top, commonDir }: GitRepository,
): readonly (string | undefined)[] {
  const isLocal = localSetting(settings);
  const replaced = replacementsIn(settings);
  const texts = settings.flatMap((setting) => {
    const { key, value = '' } = setting;
    const isAddress = ADDRESS.test(key) || REMOTE.test(key) || SUBMODULE.test(key);
    return [...(isLocal(setting) ? [value] : []), ...(isAddress ? replacedAddresses(value, replaced) : [])];
  });
  const isFull = (text: string): boolean => /^([/~]|[a-z][a-z0-9+.-]*:)/i.test(text);
  return [
    ...texts.map((text) => (isFull(text) ? text : path.join(top, text))),
    ...olderRemotes(commonDir).map(() => undefined),
  ];
}

export function replacedAddresses(text: string, replaced: readonly Replacement[]): readonly string[] {
  return replaced
    .filter(({ from }) => text.startsWith(from))
    .map(({ from, to }) => to + text.slice(from.length));
}

function localSetting(settings: readonly ScopedSetting[]): (setting: ScopedSetting) => boolean {
  const remotes = new Set(settings.flatMap(({ key }) => ADDRESS.exec(key)?.[2] ?? []));
  return ({ key, value = '' }) => {
    if (ADDRESS.test(key)) return !OF_NETWORK.test(value);
    // A relative address of a submodule starts at the one of its repository.
    if (SUBMODULE.test(key)) return !OF_NETWORK.test(value) && !/^\.\.?\//.test(value);
    // A name that is not one of a remote is a folder. The repository itself is `.`.
    return REMOTE.test(key) && !/^\.?$/.test(value) && !OF_NETWORK.test(value) && !remotes.has(value);
  };
}

function olderRemotes(commonDir: string): readonly string[] {
  return ['remotes', 'branches'].flatMap((name) =>
    namesIn(path.join(commonDir, name)).map((remote) => `${name}/${remote}`),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
