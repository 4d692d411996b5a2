/** Needless questions about commands that only read, and commands with effects, none of which may pass without one. */
import type { PermissionMode } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { authorizeParts } from './authorize.ts';
import { partsOfCall } from './call-parts.ts';
import type { CallParts } from './part.ts';
import { editingCommands, harmfulCommands } from './test/list/harmful.ts';
import { MORE_READERS } from './test/list/more-readers.ts';
import { READERS } from './test/list/readers.ts';
import { CLEAN_GIT, ROOT, worldOf } from './test/world.ts';
import type { PermissionWorld } from './world.ts';

function worldWith(readOnlyView: boolean, isTrusted = true): PermissionWorld {
  const world = worldOf({ git: CLEAN_GIT, files: ['/proc'] });
  const gitIn: PermissionWorld['gitIn'] = (folder) => (folder.startsWith(ROOT) ? CLEAN_GIT : undefined);
  return { ...world, gitIn, readOnlyView, isTrusted: () => isTrusted };
}

const WITHOUT_VIEW = worldWith(false);
const WITH_VIEW = worldWith(true);
const WITHOUT_TRUST = worldWith(true, false);
/** The parts of a command are the same in every mode. Reading a command takes most of the time. */
const partsByWorld = new Map<PermissionWorld, Map<string, CallParts>>([
  [WITHOUT_VIEW, new Map()],
  [WITH_VIEW, new Map()],
  [WITHOUT_TRUST, new Map()],
]);

function isAllowed(command: string, mode: PermissionMode, world: PermissionWorld): boolean {
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const known = partsByWorld.get(world);
  const parts = known?.get(command) ?? partsOfCall(request, world);
  known?.set(command, parts);
  const rules = { deny: [], ask: [], allow: [] };
  return authorizeParts(request, parts, rules, mode, world).decision === 'allow';
}

const readers = Object.values({ ...READERS, ...MORE_READERS }).flat();

describe('commands that only read', () => {
  it('are at least 500, each of them once', () => {
    expect(readers.length).toBeGreaterThanOrEqual(500);
    expect(new Set(readers).size).toBe(readers.length);
  });

  // 5 percent by proof, 0.7 percent with the view in a trusted folder, 2.1 percent in another one.
  it.each([
    ['proof alone', WITHOUT_VIEW, 0.055],
    ['proof and the read-only view', WITH_VIEW, 0.01],
    ['proof and the read-only view, without trust', WITHOUT_TRUST, 0.025],
  ])('are asked about in few cases: %s', (_, world, share) => {
    const asked = readers.filter((command) => !isAllowed(command, 'default', world));
    expect(asked.slice(Math.floor(share * readers.length))).toEqual([]);
  });

  it('get the same decision in plan mode', () => {
    const differ = readers.filter(
      (command) => isAllowed(command, 'plan', WITHOUT_VIEW) !== isAllowed(command, 'default', WITHOUT_VIEW),
    );
    expect(differ).toEqual([]);
  });
});

describe('commands with effects', () => {
  const harmful = harmfulCommands();
  const edits = editingCommands();

  it('are at least 2,000', () => {
    expect(harmful.length).toBeGreaterThanOrEqual(2_000);
  });

  it.each([
    ['default', [...harmful, ...edits]],
    ['plan', [...harmful, ...edits]],
    ['acceptEdits', harmful],
  ] as const)('are never allowed in the mode %s', (mode, commands) => {
    expect(commands.filter((command) => isAllowed(command, mode, WITHOUT_VIEW))).toEqual([]);
  });
});
