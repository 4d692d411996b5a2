/** Hooks in settings are not run yet. Somebody may rely on one as a guard, so it is said wherever rules are read. */
import type { LoadedSettings } from '@heddle/agent/settings';

export function hooksNotRun({ files }: LoadedSettings): string[] {
  const places = files
    .filter(({ settings: { hooks }, trusted }) => trusted && isFilled(hooks))
    .map(({ file, source }) => file ?? source);
  if (places.length === 0) return [];
  return [`Hooks in settings are not run yet; what they guard must be a rule: ${places.join(', ')}.`];
}

function isFilled(hooks: unknown): boolean {
  return typeof hooks === 'object' && hooks !== null && Object.keys(hooks).length > 0;
}
