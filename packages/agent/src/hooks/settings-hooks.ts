/** The hooks of all settings files: those that run, and those that do not, with the reason. */
import type { RuleSource } from '../permission/rules/rule.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { describePlace } from '../settings/find-line.ts';
import type { LoadedFile } from '../settings/scopes.ts';
import { type HookDefinition, readHooks } from './definition.ts';

/** Why a declared hook does not run. */
export type InactiveReason = 'untrusted' | 'disableAllHooks' | 'allowManagedHooksOnly';

/** The settings that declare a hook, or a plugin. */
type HookScope = RuleSource | 'plugin';

export interface DeclaredHook {
  readonly hook: HookDefinition;
  readonly scope: HookScope;
  /** Undefined if the hook runs at its event. */
  readonly inactive: InactiveReason | undefined;
}

export interface SettingsHooks {
  /** In the order of their declaration, the highest scope first. */
  readonly declared: readonly DeclaredHook[];
  readonly problems: readonly string[];
  /** The problems because of which hooks that would run are missing. They are among `problems`. */
  readonly missing: readonly string[];
  /** A sentence about hooks that the settings switch off. Hooks of an untrusted folder are reported elsewhere. */
  readonly disabled: string | undefined;
  /** Why hooks of plugins and skills do not run. Undefined if they do. */
  readonly othersInactive: InactiveReason | undefined;
}

/**
 * - Hooks of an untrusted folder never run.
 * - `disableAllHooks`: the highest file that mentions it decides. Managed hooks run unless managed settings disable them.
 * - `allowManagedHooksOnly` counts in managed settings only.
 */
export function settingsHooks({ files }: LoadedSettings): SettingsHooks {
  const disabling = files.find(({ counting }) => typeof counting['disableAllHooks'] === 'boolean');
  const isDisabled = disabling?.counting['disableAllHooks'] === true;
  const managedOnly = files.some(
    ({ source, counting }) => source === 'managed' && counting['allowManagedHooksOnly'] === true,
  );
  const switchedOff = (scope: RuleSource): InactiveReason | undefined => {
    const isManaged = scope === 'managed';
    if (isDisabled && !(isManaged && disabling.source !== 'managed')) return 'disableAllHooks';
    return managedOnly && !isManaged ? 'allowManagedHooksOnly' : undefined;
  };
  const read = files.map((file) => readFileHooks(file, switchedOff(file.source)));
  const declared = read.flatMap((one) => one.declared);
  const off = declared.filter(({ inactive }) => inactive !== undefined && inactive !== 'untrusted');
  return {
    declared,
    problems: read.flatMap((one) => one.problems),
    missing: read.flatMap((one) => one.missing),
    othersInactive: switchedOff('user'),
    disabled:
      off[0] === undefined
        ? undefined
        : `${off.length} hooks do not run: the settings have ${off[0].inactive}.`,
  };
}

function readFileHooks(
  loaded: LoadedFile,
  switchedOff: InactiveReason | undefined,
): Pick<SettingsHooks, 'declared' | 'problems' | 'missing'> {
  const { source: scope, file, settings, counting } = loaded;
  const placeOf = (path: readonly (string | number)[]): string => describePlace(loaded, path);
  const origin = { source: file ?? `the ${scope} settings`, placeOf };
  const trusted = readHooks(counting['hooks'], origin);
  const { problems } = trusted;
  const missing = switchedOff === undefined ? trusted.missing : [];
  // Usually all of them count, and are read once.
  if (counting['hooks'] === settings['hooks']) {
    const declared = trusted.hooks.map((hook): DeclaredHook => ({ hook, scope, inactive: switchedOff }));
    return { declared, problems, missing };
  }
  const keys = new Set(trusted.hooks.map(keyOf));
  const declared = readHooks(settings['hooks'], origin).hooks.map((hook): DeclaredHook => {
    const inactive = keys.has(keyOf(hook)) ? switchedOff : 'untrusted';
    return { hook, scope, inactive };
  });
  return { declared, problems, missing };
}

function keyOf({ event, matcher, handler, condition }: HookDefinition): string {
  return JSON.stringify([event, matcher, handler, condition ?? '']);
}
