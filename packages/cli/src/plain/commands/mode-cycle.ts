/** Shift-Tab: one mode after another. Those that deny or allow everything are chosen by name only. */
import type { PermissionMode } from '@heddle/core';

const CYCLE: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

export function modeAfter(mode: PermissionMode): PermissionMode {
  return CYCLE[(CYCLE.indexOf(mode) + 1) % CYCLE.length] ?? 'default';
}
