/** The rules of a subagent: those of its parent, live, and a mode that is never wider than the parent's. */
import type { PermissionMode } from '@heddle/core';
import { LivePermissions, type PermissionUpdate } from '../permission/live-permissions.ts';
import { NO_RULES, type Rules } from '../permission/rules/rule.ts';

/** From the strictest mode to the widest. */
const STRICTNESS: readonly PermissionMode[] = [
  'plan',
  'dontAsk',
  'default',
  'acceptEdits',
  'bypassPermissions',
];

/** Returns the mode that permits less. */
export function stricterMode(left: PermissionMode, right: PermissionMode | undefined): PermissionMode {
  if (right === undefined) return left;
  return STRICTNESS.indexOf(right) < STRICTNESS.indexOf(left) ? right : left;
}

export class ChildPermissions extends LivePermissions {
  readonly #parent: LivePermissions;
  readonly #parentMode: () => PermissionMode;
  readonly #ownMode: PermissionMode | undefined;

  constructor(
    parent: LivePermissions,
    parentMode: () => PermissionMode,
    ownMode: PermissionMode | undefined,
  ) {
    super(NO_RULES);
    this.#parent = parent;
    this.#parentMode = parentMode;
    this.#ownMode = ownMode;
  }

  override get rules(): Rules {
    return this.#parent.rules;
  }

  override get directories(): readonly string[] {
    return this.#parent.directories;
  }

  override get mode(): PermissionMode {
    return stricterMode(this.#parentMode(), this.#ownMode);
  }

  /** An answer of the user to a subagent holds for the whole conversation. */
  override apply(updates: readonly PermissionUpdate[]): void {
    this.#parent.apply(updates);
  }
}
