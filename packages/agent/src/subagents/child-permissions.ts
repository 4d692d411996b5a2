/** The rules of a subagent: those of its parent, live, and a mode that is never wider than the parent's. */
import type { PermissionMode } from '@heddle/core';
import type { AddedFolder } from '../permission/added-folders.ts';
import { LivePermissions, type PermissionUpdate } from '../permission/live-permissions.ts';
import { NO_RULES, type Rules } from '../permission/rules/rule.ts';
import { type SubagentPlace, rulesAt } from '../permission/rules/rules-at.ts';

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
  readonly #place: SubagentPlace;
  /** The rules of the parent, and the same rules for the own folder. Compiled rules are found by the object. */
  #moved: { readonly from: Rules; readonly rules: Rules } | undefined;

  constructor(
    parent: LivePermissions,
    parentMode: () => PermissionMode,
    ownMode: PermissionMode | undefined,
    place: SubagentPlace,
  ) {
    super(NO_RULES);
    this.#parent = parent;
    this.#parentMode = parentMode;
    this.#ownMode = ownMode;
    this.#place = place;
  }

  override get rules(): Rules {
    const { rules } = this.#parent;
    if (this.#moved?.from !== rules) this.#moved = { from: rules, rules: rulesAt(rules, this.#place) };
    return this.#moved.rules;
  }

  override get directories(): readonly string[] {
    return this.#parent.directories;
  }

  override get directoryNames(): readonly string[] {
    return this.#parent.directoryNames;
  }

  override get folders(): readonly AddedFolder[] {
    return this.#parent.folders;
  }

  override get mode(): PermissionMode {
    return stricterMode(this.#parentMode(), this.#ownMode);
  }

  override modeFor(tool: string, mode: PermissionMode): PermissionMode {
    return this.#parent.modeFor(tool, mode);
  }

  /** An answer of the user to a subagent holds for the whole conversation. */
  override apply(updates: readonly PermissionUpdate[]): void {
    this.#parent.apply(updates);
  }
}
