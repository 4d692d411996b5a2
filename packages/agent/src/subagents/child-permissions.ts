/** The rules of a subagent: those of its parent, live, and a mode that is never wider than the parent's. */
import type { PermissionMode } from '@heddle/core';
import os from 'node:os';
import { LivePermissions, type PermissionUpdate } from '../permission/live-permissions.ts';
import { joinRules, NO_RULES, type PermissionRule, type Rules } from '../permission/rules/rule.ts';
import type { Worktree } from './worktree.ts';

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

/** A rule about a file of the project also applies to the copy of that file in the worktree. */
function rulesInWorktree(rules: Rules, { top, path: folder }: Worktree): Rules {
  const isInside = (place: string): boolean => place === top || place.startsWith(`${top}/`);
  const home = os.homedir();
  const moved = (rule: PermissionRule): PermissionRule => {
    const { text, base = top } = rule;
    // An absolute place starts with two slashes, and one in the home folder with a tilde.
    const absolute = text.replace('(~/', `(/${home}/`);
    const place = `(/${top}/`;
    const ownText = absolute.includes(place) ? absolute.replace(place, `(/${folder}/`) : text;
    return { ...rule, text: ownText, base: isInside(base) ? folder + base.slice(top.length) : base };
  };
  return { deny: rules.deny.map(moved), ask: rules.ask.map(moved), allow: rules.allow.map(moved) };
}

export class ChildPermissions extends LivePermissions {
  readonly #parent: LivePermissions;
  readonly #parentMode: () => PermissionMode;
  readonly #ownMode: PermissionMode | undefined;
  readonly #worktree: Worktree | undefined;
  /** The rules of the parent, and the same rules for the worktree. Compiled rules are found by the object. */
  #moved: { readonly from: Rules; readonly rules: Rules } | undefined;

  constructor(
    parent: LivePermissions,
    parentMode: () => PermissionMode,
    ownMode: PermissionMode | undefined,
    worktree?: Worktree,
  ) {
    super(NO_RULES);
    this.#parent = parent;
    this.#parentMode = parentMode;
    this.#ownMode = ownMode;
    this.#worktree = worktree;
  }

  override get rules(): Rules {
    const { rules } = this.#parent;
    if (!this.#worktree) return rules;
    if (this.#moved?.from !== rules)
      this.#moved = { from: rules, rules: joinRules(rules, rulesInWorktree(rules, this.#worktree)) };
    return this.#moved.rules;
  }

  override get directories(): readonly string[] {
    return this.#parent.directories;
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
