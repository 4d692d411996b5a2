/** Decisions without rules, by trust in the folder and by the read-only view. */
import type { PermissionMode } from '@heddle/core';
import { authorize } from '../authorize.ts';
import { CLEAN_GIT, worldOf, type WorldTable } from './world.ts';

interface Setting {
  readonly mode?: PermissionMode;
  readonly table?: WorldTable;
  readonly isTrusted?: boolean;
  readonly view?: boolean;
}

export function decideInFolder(
  command: string,
  { mode = 'default', table = {}, isTrusted = false, view = true }: Setting = {},
) {
  const world = { ...worldOf({ git: CLEAN_GIT, ...table }), readOnlyView: view, isTrusted: () => isTrusted };
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, mode, world).decision;
}
