/** The rules of a subagent: those of its parent, live, and a mode that is never wider than the parent's. */
import type { PermissionMode } from '@heddle/core';
import os from 'node:os';
import { LivePermissions, type PermissionUpdate } from '../permission/live-permissions.ts';
import { joinRules, NO_RULES, type PermissionRule, type Rules } from '../permission/rules/rule.ts';
import type { Worktree } from './record.ts';

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
    const absolute = text.replace('(~/', () => `(/${home}/`);
    const place = `(/${top}/`;
    const ownText = absolute.includes(place) ? absolute.replace(place, () => `(/${folder}/`) : text;
    return { ...rule, text: ownText, base: isInside(base) ? folder + base.slice(top.length) : base };
  };
  return { deny: rules.deny.map(moved), ask: rules.ask.map(moved), allow: rules.allow.map(moved) };
}

/** The folder of a subagent, and that of its parent. They differ in a worktree, and after a resume in another folder. */
export interface ChildPlace {
  readonly cwd: string;
  readonly parentCwd: string;
  readonly worktree?: Worktree | undefined;
}

/** A relative path in a rule means a file of the parent. In deny and ask, it also means the file of the subagent. */
function rulesAt(rules: Rules, { cwd, parentCwd, worktree }: ChildPlace): Rules {
  if (cwd === parentCwd && !worktree) return rules;
  const ofParent = (rule: PermissionRule): PermissionRule => ({ root: parentCwd, ...rule });
  const parents: Rules = {
    deny: rules.deny.map(ofParent),
    ask: rules.ask.map(ofParent),
    allow: worktree ? rules.allow : rules.allow.map(ofParent),
  };
  const own = worktree ? rulesInWorktree(rules, worktree) : { ...rules, allow: [] };
  return joinRules(parents, own);
}

export class ChildPermissions extends LivePermissions {
  readonly #parent: LivePermissions;
  readonly #parentMode: () => PermissionMode;
  readonly #ownMode: PermissionMode | undefined;
  readonly #place: ChildPlace;
  /** The rules of the parent, and the same rules for the own folder. Compiled rules are found by the object. */
  #moved: { readonly from: Rules; readonly rules: Rules } | undefined;

  constructor(
    parent: LivePermissions,
    parentMode: () => PermissionMode,
    ownMode: PermissionMode | undefined,
    place: ChildPlace,
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
