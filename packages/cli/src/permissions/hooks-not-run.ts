/**
 * Reports hooks in settings, which are not run yet. A user may rely on one as a guard, so every file with hooks is named,
 * whether or not the rest of it counts.
 */
import type { LoadedSettings } from '@heddle/agent/settings';

export function hooksNotRun({ files }: LoadedSettings): string[] {
  const places = files
    .filter(({ settings: { hooks } }) => isFilled(hooks))
    .map(({ file, source }) => file ?? `the ${source} settings`);
  if (places.length === 0) return [];
  return [`Hooks in settings are not run yet; what they guard must be a rule: ${places.join(', ')}.`];
}

function isFilled(hooks: unknown): boolean {
  return typeof hooks === 'object' && hooks !== null && Object.keys(hooks).length > 0;
}
