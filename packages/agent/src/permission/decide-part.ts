/**
 * Decides about one part, in this order: deny rules, plan mode (which also denies), ask rules, concerns that no allow
 * rule settles, the other modes and the sandbox, allow rules, proof that nothing changes, the read-only view, an allow
 * from a hook. Otherwise it asks.
 */
import type { PermissionMode } from '@heddle/core';
import type { FilePart, Part } from './part.ts';
import { unlistedName } from './paths/hidden-names.ts';
import { mayBeGitSource } from './paths/program-places.ts';
import { SHOWS_LOGIN } from './paths/secret-files.ts';
import type { AuthorizeRequest, PermissionDecision, PartVerdict } from './request.ts';
import type { CompiledRules } from './rules/compile.ts';
import type { LoginRules } from './rules/login-rules.ts';
import {
  findCoveringRule,
  findNamingRule,
  findObjectingRule,
  findUndoneRule,
  type RuleMatch,
} from './rules/match.ts';
import type { PermissionRule } from './rules/rule.ts';
import { isQuestion } from './rules/tool-names.ts';
import type { PermissionWorld } from './world.ts';

export interface Case {
  readonly request: AuthorizeRequest;
  readonly rules: CompiledRules;
  readonly logins: LoginRules;
  readonly mode: PermissionMode;
  readonly world: PermissionWorld;
  /** The mode allows the edits of the call. */
  readonly acceptsEdits: boolean;
  /** The call moves folders or links, and a command that was proven to read runs in the background. */
  readonly movesBesideRead: boolean;
  /** An allow rule covers one of the call's commands. */
  readonly hasCovered: boolean;
  /** The call fits the read-only view, and runs there if nothing else allows it. */
  readonly inView: boolean;
  /** The call reads files later, when edits that need no question may have changed what its paths and searches mean. */
  readonly readsLater: boolean;
  /** A proven command of the call runs in the view although a rule covers it, because the view hides files that a rule denies. */
  readonly keepsView: boolean;
}

export interface PartDecision extends PartVerdict {
  /** The part is not reported as long as it is allowed. */
  readonly isSilent: boolean;
  /** Asked regardless of rules. This reason is more informative than a missing rule. */
  readonly isSevere?: boolean;
  /**
   * The reason for an allow: a proof, the read-only view, a permitted edit of known files, or a permit by a rule, a mode
   * or a hook for any effect. Undefined if another part decides.
   */
  readonly basis?: 'proof' | 'view' | 'edit' | 'permit';
}

export function decidePart(part: Part, held: Case): PartDecision {
  const { rules, mode, request, world } = held;
  const say = (decision: PermissionDecision, reason: string, rule?: PermissionRule) =>
    verdict(part, decision, reason, rule);
  const permit = (reason: string, rule?: PermissionRule): PartDecision => ({
    ...say('allow', reason, rule),
    basis: isFilePart(part) ? 'edit' : 'permit',
  });
  const prove = (reason: string): PartDecision => ({ ...say('allow', reason), basis: 'proof' });
  const denied = findObjectingRule(part, 'deny', rules, world);
  if (denied) return byObjection(part, 'deny', denied);
  const isQuestionToUser = part.kind === 'call' && isQuestion(part.tool);
  if (mode === 'plan' && hasEffects(part) && !isQuestionToUser && !held.inView) {
    return say('deny', 'Plan mode: nothing with effects runs.');
  }
  const asked = findObjectingRule(part, 'ask', rules, world);
  if (asked) return byObjection(part, 'ask', asked);
  // The call itself passed all deny and ask rules. Its parts decide the rest.
  if (part.kind === 'call' && part.shares) return say('allow', 'Its parts decide.');
  if (isQuestionToUser) return say('ask', 'It is a question to the user.');
  const concern = 'concern' in part ? part.concern : undefined;
  if (concern?.level === 'always') return { ...say('ask', concern.reason), isSevere: true };
  if (mode === 'bypassPermissions')
    return { ...permit('The mode bypassPermissions allows it.'), basis: 'permit' };
  // The sandbox blocks access to forbidden files.
  if (request.sandboxed) {
    const inSandbox = 'It runs in the sandbox.';
    return hasEffects(part) ? permit(inSandbox) : prove(inSandbox);
  }
  if (concern?.level === 'unless bypassed') return { ...say('ask', concern.reason), isSevere: true };
  if (held.logins.match(part)) return { ...say('ask', SHOWS_LOGIN.reason), isSevere: true };
  if (part.kind === 'command' && part.inner) return say('allow', 'The command around it decides.');
  // In plan mode, only the view allows a part with effects. A rule would let it run outside the view.
  const isConfined = mode === 'plan' && hasEffects(part);
  const cover = isConfined ? undefined : findCoveringRule(part, rules);
  if (concern?.level === 'unless covered' && !cover) return say('ask', concern.reason);
  const isOnlyNamed = part.kind === 'read' && part.namedBy !== undefined;
  const isMoved = part.kind === 'read' && part.mayMove === true && mode === 'acceptEdits';
  if (isMoved && !cover && (rules.restrictsReading || world.readOnlyView !== true))
    return say('ask', READS_MOVED);
  if (part.kind === 'read' && !cover && !isOnlyNamed) return say('allow', 'Reading changes nothing.');
  if (concern?.level === 'outside') {
    // A rule with a path settles places outside the working directories. A rule for a whole tool does not.
    const named = isOnlyNamed
      ? (findCoveringRule({ ...part, kind: 'write' }, rules, 'named') ?? findNamingRule(part, rules))
      : findCoveringRule(part, rules, 'named');
    return named ? permit(ruleReason(named, 'allow'), named) : say('ask', concern.reason);
  }
  const isAccepted = held.acceptsEdits && isEdit(part) && hasEffects(part);
  const isUnclear = isFilePart(part) && part.places?.some((place) => mayBeGitSource(place, world)) === true;
  if (isAccepted && isUnclear && !cover) return say('ask', UNREAD_SETTINGS);
  const hidden = isAccepted && isFilePart(part) && !cover ? unlistedName(part, world) : undefined;
  if (hidden !== undefined && request.hookDecision !== 'allow') return say('ask', unlisted(hidden));
  if (isAccepted)
    return { ...permit('The mode acceptEdits allows edits in the working directories.'), basis: 'edit' };
  if (cover && part.kind === 'read') return say('allow', ruleReason(cover, 'allow'), cover);
  const harmless = provenBy(part, held);
  // A rule does not take away the view from a command that reads known files. Deny rules hide files there.
  const keepsView =
    held.keepsView || (rules.restrictsReading && part.kind === 'command' && !part.mayReadMore());
  if (cover && part.kind === 'command' && harmless === 'proof' && keepsView)
    return { ...say('allow', ruleReason(cover, 'allow'), cover), basis: 'proof' };
  if (cover) return permit(ruleReason(cover, 'allow'), cover);
  if (isFilePart(part) && part.by === 'command') return say('allow', 'The command itself decides.');
  const isBlind =
    part.kind === 'command' && rules.restrictsReading && (held.readsLater || part.mayReadMore());
  if (harmless === 'proof' && !isBlind) return prove('It changes nothing.');
  if (harmless === 'view' && !isBlind)
    return { ...say('allow', 'It runs in a read-only view.'), basis: 'view' };
  if (request.hookDecision === 'allow' && !isConfined) return permit('A hook allowed it.');
  if (mode === 'acceptEdits' && isEdit(part) && hasEffects(part))
    return say('ask', held.movesBesideRead ? MOVES_BESIDE_READ : NOT_PLAIN);
  return say(
    'ask',
    harmless === undefined || !isBlind ? open(part, rules) : held.readsLater ? READS_LATER : READS_UNKNOWN,
  );
}

function unlisted(name: string): string {
  return `A program may load \`${name}\` by itself. An allow rule for it settles that.`;
}

const UNREAD_SETTINGS =
  'Not all settings of git can be read, and they may name this place for hooks. An allow rule for it settles that.';

const READS_UNKNOWN =
  'A rule restricts reading, and the command may read more files than its words name. An allow rule for it settles that.';

const READS_MOVED =
  'The command reads a file above its folder after a wait. Meanwhile, an edit may have moved the folder.';

const READS_LATER =
  'A rule restricts reading, and the command reads in the background, when edits may have changed what it finds. An allow rule for it settles that.';

/** Returns why a part without a rule has no effects: it is proven to have none, or the read-only view prevents them. */
function provenBy(part: Part, { hasCovered, inView }: Case): 'proof' | 'view' | undefined {
  // A fetch changes nothing here, but its request sends data to others.
  if (!hasEffects(part) && part.kind !== 'fetch') return 'proof';
  if (part.kind !== 'command') return undefined;
  if (part.readOnly === 'beside a rule' && hasCovered) return 'proof';
  return inView ? 'view' : undefined;
}

function byObjection(part: Part, list: 'deny' | 'ask', { rule, doubtful }: RuleMatch): PartDecision {
  if (doubtful === undefined) return verdict(part, list, ruleReason(rule, list), rule);
  return verdict(part, 'ask', `${ruleReason(rule, list).slice(0, -1)}, and ${doubtful}.`, rule);
}

function hasEffects(part: Part): boolean {
  switch (part.kind) {
    case 'call':
      return !part.readOnly && !part.shares;
    case 'command':
      return part.readOnly !== 'yes' && !part.inner;
    case 'read':
    case 'fetch':
      return false;
    case 'write':
    case 'remove':
      return true;
  }
}

function isEdit(part: Part): boolean {
  return part.kind === 'command' ? part.isEdit && part.opaque === undefined : isFilePart(part);
}

function isFilePart(part: Part): part is FilePart {
  return part.kind === 'read' || part.kind === 'write' || part.kind === 'remove';
}

const MOVES_BESIDE_READ =
  'A command that was proven to read still runs in the background. If a folder or a link is moved, removed or replaced, it may read other files.';

const NOT_PLAIN =
  'The mode acceptEdits allows edits only in a script of plain edits, joined by `&&` or `;`, that copy and move no links. ' +
  'Another step of this script might use what an edit changes.';

function open(part: Part, rules: CompiledRules): string {
  if (part.kind === 'command')
    return (
      part.opaque ??
      part.exactOnly ??
      findUndoneRule(part, rules) ??
      `No rule allows the command ${part.shown}.`
    );
  if (part.kind === 'call') return `No rule allows ${part.tool} to run unasked.`;
  if (part.kind === 'fetch')
    return part.tool === 'WebSearch'
      ? 'No rule allows a web search.'
      : `No rule allows fetching from ${part.host}.`;
  return `No rule allows changing ${part.shown}.`;
}

function ruleReason({ text, source, file }: PermissionRule, list: string): string {
  return `The ${source} rule ${text}${file === undefined ? '' : ` in ${file}`} says ${list}.`;
}

function verdict(
  part: Part,
  decision: PermissionDecision,
  reason: string,
  rule?: PermissionRule,
): PartDecision {
  const [place] = ('places' in part ? part.places : undefined) ?? [];
  return {
    kind: part.kind,
    part: part.shown,
    ...(place ? { place: place.real } : {}),
    decision,
    reason,
    isSilent: isQuiet(part),
    ...(rule ? { rule: rule.text, source: rule.source } : {}),
    ...(rule?.file === undefined ? {} : { file: rule.file }),
  };
}

function isQuiet(part: Part): boolean {
  if (part.kind === 'call') return part.shares;
  if (part.kind === 'command') return part.inner;
  return part.kind === 'read' && (part.knowledge !== 'known' || part.stored !== undefined);
}
