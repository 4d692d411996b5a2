/** Combines all sandbox settings. Paths become absolute here, because their file is known. */
import path from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '@heddle/core';
import type { LoadedSettings } from './load-settings.ts';
import { valueAt } from './merge-settings.ts';
import { stringsOf } from './validate-settings.ts';
import type { LoadedFile } from './scopes.ts';

export interface SandboxSettings {
  readonly enabled: boolean;
  /** Without a sandbox, the program does not start. */
  readonly failIfUnavailable: boolean;
  readonly autoAllowBashIfSandboxed: boolean;
  readonly allowUnsandboxedCommands: boolean;
  /** Like a rule for Bash, without its name: `docker *`. */
  readonly excludedCommands: readonly string[];
  readonly filesystem: {
    readonly allowWrite: readonly string[];
    readonly denyWrite: readonly string[];
    readonly denyRead: readonly string[];
    readonly allowRead: readonly string[];
  };
  readonly network: {
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
    readonly allowUnixSockets: readonly string[];
    readonly allowLocalBinding: boolean;
    readonly httpProxyPort: number | undefined;
    readonly socksProxyPort: number | undefined;
  };
  /** For containers that do not allow mounting `/proc`. */
  readonly enableWeakerNestedSandbox: boolean;
  /** Whether proven commands run in a read-only view, and permitted edits by commands in a view for edits. */
  readonly readOnlyView: 'auto' | 'off';
}

export function sandboxSettings({ files }: LoadedSettings, home: string): SandboxSettings {
  const sections = files.map((file) => ({ file, section: sectionOf(file) }));
  const first = (...names: readonly string[]): Json | undefined =>
    sections.map(({ section }) => valueAt(section, names)).find((value) => value !== undefined);
  const flag = (value: Json | undefined, otherwise: boolean): boolean =>
    typeof value === 'boolean' ? value : otherwise;
  const port = (value: Json | undefined): number | undefined =>
    typeof value === 'number' ? value : undefined;
  const texts = (...names: readonly string[]): string[] =>
    unique(sections.flatMap(({ section }) => stringsOf(valueAt(section, names))));
  const paths = (name: string): string[] =>
    unique(
      sections.flatMap(({ file, section }) =>
        stringsOf(valueAt(section, ['filesystem', name])).map((text) => absolute(text, file.base, home)),
      ),
    );
  return {
    enabled: flag(first('enabled'), false),
    failIfUnavailable: flag(first('failIfUnavailable'), false),
    autoAllowBashIfSandboxed: flag(first('autoAllowBashIfSandboxed'), true),
    allowUnsandboxedCommands: flag(first('allowUnsandboxedCommands'), true),
    excludedCommands: texts('excludedCommands'),
    filesystem: {
      allowWrite: paths('allowWrite'),
      denyWrite: paths('denyWrite'),
      denyRead: paths('denyRead'),
      allowRead: paths('allowRead'),
    },
    network: {
      allowedDomains: texts('network', 'allowedDomains'),
      deniedDomains: texts('network', 'deniedDomains'),
      allowUnixSockets: texts('network', 'allowUnixSockets'),
      allowLocalBinding: flag(first('network', 'allowLocalBinding'), false),
      httpProxyPort: port(first('network', 'httpProxyPort')),
      socksProxyPort: port(first('network', 'socksProxyPort')),
    },
    enableWeakerNestedSandbox: flag(first('enableWeakerNestedSandbox'), false),
    readOnlyView: first('readOnlyView') === 'off' ? 'off' : 'auto',
  };
}

function sectionOf({ counting }: LoadedFile): JsonObject {
  const { sandbox } = counting;
  return isJsonObject(sandbox) ? sandbox : {};
}

/**
 * `/x` and `//x` start at the root of the file system, `~/x` in the home folder. Other paths start in the folder of the
 * file.
 */
function absolute(text: string, base: string, home: string): string {
  if (text === '~' || text.startsWith('~/')) return path.join(home, text.slice(1));
  return path.resolve(base, text.replace(/^\/\//, '/'));
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
