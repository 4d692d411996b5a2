/** The hooks of all settings files that count. Hooks of an untrusted folder were removed before. */
import type { LoadedSettings } from '../settings/load-settings.ts';
import { type HookDefinition, readHooks } from './definition.ts';

export interface SettingsHooks {
  readonly hooks: readonly HookDefinition[];
  readonly problems: readonly string[];
  /** Why no hooks run although some are declared. */
  readonly disabled: string | undefined;
}

/**
 * - `disableAllHooks`: the highest file that mentions it decides. Managed hooks run unless managed settings disable them.
 * - `allowManagedHooksOnly` counts in managed settings only.
 */
export function settingsHooks({ files }: LoadedSettings): SettingsHooks {
  const all = files.map(({ source, file, counting }) => ({
    isManaged: source === 'managed',
    read: readHooks(counting['hooks'], { source: file ?? `the ${source} settings` }),
    disables: counting['disableAllHooks'],
    managedOnly: source === 'managed' && counting['allowManagedHooksOnly'] === true,
  }));
  const disabling = all.find(({ disables }) => typeof disables === 'boolean');
  const managedOnly = all.some((file) => file.managedOnly);
  const counts = ({ isManaged }: { readonly isManaged: boolean }): boolean => {
    if (disabling?.disables === true) return isManaged && !disabling.isManaged;
    return isManaged || !managedOnly;
  };
  const hooks = all.filter(counts).flatMap(({ read }) => read.hooks);
  const declared = all.reduce((count, { read }) => count + read.hooks.length, 0);
  const reason = disabling?.disables === true ? 'disableAllHooks' : 'allowManagedHooksOnly';
  return {
    hooks,
    problems: all.flatMap(({ read }) => read.problems),
    disabled:
      declared > hooks.length
        ? `${declared - hooks.length} hooks do not run: the settings have ${reason}.`
        : undefined,
  };
}
