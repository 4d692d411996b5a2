/** The rules of a session, for a subagent that works in another folder than its parent. */
import os from 'node:os';
import { joinRules, type PermissionRule, type Rules } from './rule.ts';

/** A checkout of the repository `top` in the folder `path`. */
export interface WorktreePlace {
  readonly top: string;
  readonly path: string;
}

/** A rule about a file of the project also applies to the copy of that file in the worktree. */
function rulesInWorktree(rules: Rules, cwd: string, { top, path: folder }: WorktreePlace): Rules {
  const inWorktree = (place: string): string =>
    place === top || place.startsWith(`${top}/`) ? folder + place.slice(top.length) : place;
  const home = os.homedir();
  const moved = (rule: PermissionRule): PermissionRule => {
    const { text, base = top, root } = rule;
    // An absolute place starts with two slashes, and one in the home folder with a tilde.
    const absolute = text.replace(
      /\((["']?)(?:~|\$HOME|\$\{HOME\})\//,
      (_, quote: string) => `(${quote}/${home}/`,
    );
    const place = `/${top}/`;
    const isBegun = /^[^(]*\(["']?/.exec(absolute)?.[0] ?? '';
    const ownText = absolute.startsWith(place, isBegun.length)
      ? `${isBegun}/${folder}/${absolute.slice(isBegun.length + place.length)}`
      : text;
    return {
      ...rule,
      text: ownText,
      base: inWorktree(base),
      root: root === undefined ? cwd : inWorktree(root),
    };
  };
  return { deny: rules.deny.map(moved), ask: rules.ask.map(moved), allow: rules.allow.map(moved) };
}

/** The folder of a subagent, and that of its parent. They differ in a worktree, and after a resume in another folder. */
export interface SubagentPlace {
  readonly cwd: string;
  readonly parentCwd: string;
  readonly worktree?: WorktreePlace | undefined;
}

/** A relative path in a rule means a file of the parent. In deny and ask, it also means the file of the subagent. */
export function rulesAt(rules: Rules, { cwd, parentCwd, worktree }: SubagentPlace): Rules {
  if (cwd === parentCwd && !worktree) return rules;
  const ofParent = (rule: PermissionRule): PermissionRule => ({ root: parentCwd, ...rule });
  const parents: Rules = {
    deny: rules.deny.map(ofParent),
    ask: rules.ask.map(ofParent),
    allow: worktree ? rules.allow : rules.allow.map(ofParent),
  };
  const own = worktree ? rulesInWorktree(rules, cwd, worktree) : { ...rules, allow: [] };
  return joinRules(parents, own);
}
