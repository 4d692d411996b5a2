/**
 * May this call run? One pure function for every surface; the answer says why, part by part. Deny beats ask beats allow,
 * whatever the source: a call may run when each of its parts may.
 */
import type { PermissionMode } from '@heddle/core';
import { partsOf } from './call-parts.ts';
import { type Case, type PartDecision, decidePart } from './decide-part.ts';
import { decideUnread } from './decide-unread.ts';
import { fitsView } from './in-view.ts';
import type { Part } from './part.ts';
import type {
  Authorization,
  AuthorizeRequest,
  PermissionDecision,
  PartVerdict,
  PermissionVerdict,
} from './request.ts';
import { type CompiledRules, compileRules } from './rules/compile.ts';
import { coverOf } from './rules/match.ts';
import type { Rules } from './rules/rule.ts';
import type { PermissionWorld } from './world.ts';

export function authorize(
  request: AuthorizeRequest,
  rules: Rules,
  mode: PermissionMode,
  world: PermissionWorld,
): Authorization {
  const compiled = compileRules(rules, world);
  const given = partsOf(request, world);
  const read = given.ok && request.failedInView ? { ...given, parts: given.parts.map(unproven) } : given;
  const held: Case = {
    request,
    rules: compiled,
    mode,
    world,
    hasCovered:
      read.ok && read.parts.some(leansOnRule) && read.parts.some((part) => isCovered(part, compiled)),
    inView: read.ok && world.readOnlyView === true && fitsView(request, read.parts, compiled),
  };
  const verdicts = read.ok ? read.parts.map((part) => decidePart(part, held)) : decideUnread(read, held);
  return settle(request, mode, verdicts);
}

function leansOnRule(part: Part): boolean {
  return part.kind === 'command' && part.readOnly === 'beside a rule';
}

function isCovered(part: Part, rules: CompiledRules): boolean {
  return part.kind === 'command' && !part.inner && coverOf(part, rules) !== undefined;
}

/** The view showed that it needs more than to read. */
function unproven(part: Part): Part {
  if (part.kind === 'command') return { ...part, readOnly: 'no', confinable: 'no' };
  return part.kind === 'call' ? { ...part, readOnly: false } : part;
}

/** The strongest verdict of all parts is the call's; of equals, the one that says most. */
function settle(
  { hookDecision, tool }: AuthorizeRequest,
  mode: PermissionMode,
  verdicts: readonly PartDecision[],
): Authorization {
  const first = (decision: PermissionDecision): PermissionVerdict | undefined => {
    const found = verdicts.filter((verdict) => verdict.decision === decision);
    return (
      found.find(({ rule }) => rule !== undefined) ??
      found.find(({ grave }) => grave) ??
      found.find(({ quiet }) => !quiet) ??
      found[0]
    );
  };
  const hooked: PermissionVerdict | undefined =
    hookDecision === 'ask' ? { decision: 'ask', reason: 'A hook wants it to be asked.' } : undefined;
  const strongest = first('deny') ?? first('ask') ?? hooked ?? first('allow');
  const { decision, reason, rule, source, file } = strongest ?? {
    decision: 'ask' as const,
    reason: `Nothing is known about ${tool}.`,
  };
  const refused = decision === 'ask' && mode === 'dontAsk';
  return {
    decision: refused ? 'deny' : decision,
    reason: refused ? `${reason} The mode dontAsk denies what would be asked.` : reason,
    ...(rule === undefined ? {} : { rule }),
    ...(source === undefined ? {} : { source }),
    ...(file === undefined ? {} : { file }),
    ...(decision === 'allow' ? conditionOf(verdicts) : {}),
    parts: told(verdicts),
  };
}

/** One part that only the view allows is enough; one that is allowed whatever it does spares the condition. */
function conditionOf(verdicts: readonly PartDecision[]): Pick<Authorization, 'readOnlyRun'> {
  const has = (ground: PartDecision['ground']): boolean =>
    verdicts.some((verdict) => verdict.ground === ground);
  if (has('view')) return { readOnlyRun: 'required' };
  return has('proof') && !has('permit') ? { readOnlyRun: 'preferred' } : {};
}

/** What merely may be a part, or shares its fate with another, is told only where it decides. */
function told(verdicts: readonly PartDecision[]): PartVerdict[] {
  const loud = verdicts.filter(({ quiet, decision }) => !quiet || decision !== 'allow');
  return (loud.length > 0 ? loud : verdicts).map(
    ({ quiet: _quiet, grave: _grave, ground: _ground, ...verdict }) => verdict,
  );
}
