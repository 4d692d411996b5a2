/** Reads the settings of all scopes. What cannot be read is skipped whole and reported; nothing here throws. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import type { RuleSource } from '../permission/rules/rule.ts';
import { type Scope, SCOPES, type SettingsFile, settingsFiles, type SettingsPlaces } from './scopes.ts';
import { checkSettings } from './shape.ts';
import { isTracked } from './tracked.ts';
import { isTrusted } from './trust.ts';

export interface SettingsRequest extends SettingsPlaces {
  /** Which of the user's own scopes are read; undefined: all. Naming them is a decision of the host. */
  readonly sources?: readonly Scope[] | undefined;
  /** `--settings`: a file or JSON. */
  readonly settings?: string | undefined;
  /** `--managed-settings`: JSON. */
  readonly managed?: string | undefined;
}

export interface LoadedFile {
  readonly source: RuleSource;
  /** Undefined: given on the command line. */
  readonly file: string | undefined;
  readonly base: string;
  readonly settings: JsonObject;
  /** Whether what could do harm counts: false for what came with a folder that nobody trusts. */
  readonly trusted: boolean;
  /** Committed files never raise the mode, trusted or not. */
  readonly committed: boolean;
  /** Hooks also count where the host named the sources itself. */
  readonly hooks: boolean;
}

export interface LoadedSettings {
  /** From the highest scope to the lowest. */
  readonly files: readonly LoadedFile[];
  /** Why a file was skipped, in whole sentences. */
  readonly problems: readonly string[];
}

export function loadSettings(request: SettingsRequest): LoadedSettings {
  const problems: string[] = [];
  const { cwd, sources } = request;
  const wanted = new Set<RuleSource>([...(sources ?? SCOPES), 'managed']);
  const trusted = isTrusted(request);
  const take = (place: Omit<SettingsFile, 'file'>, file: string | undefined, text: string): LoadedFile[] => {
    const checked = checkSettings(text);
    if (!checked.ok) {
      problems.push(`${file ?? `The ${place.source} settings`} was skipped: ${checked.message}.`);
      return [];
    }
    const committed =
      place.source === 'project' || (place.source === 'local' && file !== undefined && isTracked(file));
    const counts = !committed || trusted;
    return [
      {
        ...place,
        file,
        settings: checked.settings,
        committed,
        trusted: counts,
        hooks: counts || sources !== undefined,
      },
    ];
  };
  const read = ({ file, ...place }: SettingsFile): LoadedFile[] => {
    try {
      return existsSync(file) ? take(place, file, readFileSync(file, 'utf8')) : [];
    } catch (thrown) {
      problems.push(`${file} was skipped: ${thrown instanceof Error ? thrown.message : String(thrown)}.`);
      return [];
    }
  };
  const onDisk = settingsFiles(request).filter(({ source }) => wanted.has(source));
  const inline = (source: RuleSource, text: string | undefined): LoadedFile[] => {
    if (text === undefined) return [];
    if (text.trimStart().startsWith('{')) return take({ source, base: cwd }, undefined, text);
    const file = path.resolve(cwd, text);
    if (existsSync(file)) return read({ source, file, base: cwd });
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
  };
}
