/** Reads the settings of all scopes. An unreadable file is skipped, an invalid value is left out. Both are reported. Never throws. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorMessage, type JsonObject } from '@heddle/core';
import type { RuleSource } from '../permission/rules/rule.ts';
import { countingPart, forbiddingPart } from './effective-settings.ts';
import { LARGEST_PROJECT_FILE, readFileOrPipe, readRegularFile } from './json-file.ts';
import {
  type Scope,
  SCOPES,
  type SettingsFile,
  settingsFiles,
  type SettingsPlaces,
  type LoadedFile,
} from './scopes.ts';
import { findLine } from './find-line.ts';
import { parseSettings, validateProjectSettings, validateSettings } from './validate-settings.ts';
import { realPath, trustIn, writtenIn } from './trust.ts';

export interface SettingsRequest extends SettingsPlaces {
  /** The user's scopes to read. Undefined for all. Naming them is a decision of the host. */
  readonly sources?: readonly Scope[] | undefined;
  /** `--settings`: a file or JSON. */
  readonly settings?: string | undefined;
  /** `--managed-settings`: JSON. */
  readonly managed?: string | undefined;
  /** Files whose earlier content counts, for example because a hook prevented their change. Undefined if the file did not count before. */
  readonly kept?: ReadonlyMap<string, LoadedFile | undefined> | undefined;
  /** The files, as they were found at the start of the session. Undefined: they are searched for. */
  readonly found?: readonly SettingsFile[] | undefined;
}

export interface LoadedSettings {
  /** From the highest scope to the lowest. */
  readonly files: readonly LoadedFile[];
  /** Skipped files and ignored values, as whole sentences with file and line. */
  readonly problems: readonly string[];
  /** The files of which nothing, or not every protection and hook can be read, with the reason. */
  readonly invalid?: ReadonlyMap<string, string>;
}

export function loadSettings(request: SettingsRequest): LoadedSettings {
  const problems: string[] = [];
  const invalid = new Map<string, string>();
  const { cwd, sources } = request;
  const wanted = new Set<RuleSource>([...(sources ?? SCOPES), 'managed']);
  const isTrusted = trustIn(request);
  const parse = (text: string, name: string, validate = validateSettings): JsonObject | undefined => {
    const parsed = parseSettings(text);
    if (!parsed.ok) {
      problems.push(`${name} was skipped: ${parsed.message}.`);
      invalid.set(name, parsed.message);
      return undefined;
    }
    const checked = validate(parsed.settings);
    const lacksHooks = checked.problems.some(({ path: [key] }) => key === 'hooks');
    if (checked.lacksProtection) invalid.set(name, 'a protection cannot be read');
    else if (lacksHooks) invalid.set(name, 'its hooks cannot be read');
    for (const { path: key, message } of checked.problems)
      problems.push(`${name}:${findLine(text, key)}: ${message}`);
    return checked.settings;
  };
  const read = ({ source, file, base, project = base, isAbove }: SettingsFile): LoadedFile[] => {
    if (request.kept?.has(file) === true) return [request.kept.get(file) ?? []].flat();
    try {
      // Throws if the file cannot be reached, for example because its link leads to itself.
      if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
      // Resolved once, so that the checked file is the file that is read.
      const real = realPath(file);
      const isOfProject = source === 'project' || source === 'local';
      const text = isOfProject ? readRegularFile(real, LARGEST_PROJECT_FILE) : readFileOrPipe(real);
      const settings = parse(text, file, isOfProject ? validateProjectSettings : undefined);
      if (!settings) return [];
      const place = { source, file, base, settings, text };
      if (isAbove) {
        const forbidding = forbiddingPart(settings);
        return [{ ...place, settings: forbidding, counting: forbidding }];
      }
      if (!isOfProject) return [{ ...place, counting: settings }];
      const root = realPath(project);
      const isInside = real.startsWith(`${root}${path.sep}`) || root === path.parse(root).root;
      const written = source === 'local' ? writtenIn(file, request) : {};
      const trusted = isTrusted(root) && (isInside || isTrusted(path.dirname(real)));
      const counting = countingPart({ settings, trusted, written });
      return [{ ...place, counting, written, ...(isInside ? {} : { target: real }) }];
    } catch (thrown) {
      problems.push(`${file} was skipped: ${errorMessage(thrown)}.`);
      invalid.set(file, errorMessage(thrown));
      return [];
    }
  };
  const all = (request.found ?? settingsFiles(request)).filter(({ source }) => wanted.has(source));
  const own = new Set(all.filter(({ source }) => source === 'user').map(({ file }) => realPath(file)));
  // In the home folder, the project's settings are the user's own.
  const onDisk = all.filter(
    ({ source, file }) => (source !== 'project' && source !== 'local') || !own.has(realPath(file)),
  );
  const inline = (source: RuleSource, text: string | undefined): LoadedFile[] => {
    if (text === undefined) return [];
    if (text.trimStart().startsWith('{')) {
      const settings = parse(text, `The ${source} settings`);
      return settings ? [{ source, file: undefined, base: cwd, settings, counting: settings }] : [];
    }
    const file = path.resolve(cwd, text);
    if (request.kept?.has(file) === true || existsSync(file)) return read({ source, file, base: cwd });
    problems.push(`${file} was skipped: there is no such file.`);
    return [];
  };
  return {
    files: [
      ...inline('managed', request.managed),
      ...onDisk.filter(({ source }) => source === 'managed').flatMap(read),
      ...inline('command line', request.settings),
      ...onDisk.filter(({ source }) => source !== 'managed').flatMap(read),
    ],
    problems,
    invalid,
  };
}
