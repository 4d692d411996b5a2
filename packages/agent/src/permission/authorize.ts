/**
 * Decides whether a call may run: one pure function for every surface. The answer gives a reason for each part. Deny
 * beats ask, and ask beats allow, from any source. A call may run if each of its parts may.
 */
import type { PermissionMode } from '@heddle/core';
import { partsOfCall, unexaminedCall } from './call-parts.ts';
import { type Case, decidePart, type PartDecision } from './decide-part.ts';
import { editLimits, readLimits } from './file-limits.ts';
import { movesPaths } from './moved-paths.ts';
import type { CallPart, CallParts, Part } from './part.ts';
import { mayRemoveFiles } from './paths/destructive-removal.ts';
import { SHOWS_PROCESS } from './paths/process-files.ts';
import { SHOWS_LOGIN } from './paths/secret-files.ts';
import { mayReadPipe } from './paths/special-files.ts';
import { findProcessLinks, mayFollowLinks, mayFollowTo, namesThroughLinks } from './process-links.ts';
import type {
  Authorization,
  AuthorizeRequest,
  PartVerdict,
  PermissionDecision,
  PermissionVerdict,
} from './request.ts';
import { type CompiledRules, compileRules } from './rules/compile.ts';
import { type LoginRules, loginRules } from './rules/login-rules.ts';
import { findCoveringRule } from './rules/match.ts';
import type { Rules } from './rules/rule.ts';
import { isShellTool } from './rules/tool-names.ts';
import { isUnknownRead } from './shell/reached-files.ts';
import { TOO_MUCH_WORK, withinWorkLimit } from './work-limit.ts';
import type { PermissionWorld } from './world.ts';
import { omitUndefined } from '@heddle/core';

export function authorize(
  request: AuthorizeRequest,
  rules: Rules,
  mode: PermissionMode,
  world: PermissionWorld,
): Authorization {
  const logins = loginRules(world);
  const decide = (limited: PermissionWorld): Authorization => {
    const examined = partsOfCall(request, limited);
    const answer = authorizeParts(request, examined, rules, mode, limited, logins);
    return answer.decision === 'ask' ? { ...answer, examined } : answer;
  };
  // If the work takes too many steps, only the call as a whole is known.
  return (
    withinWorkLimit(world, decide) ??
    authorizeParts(request, unexaminedCall(request, TOO_MUCH_WORK), rules, mode, world)
  );
}

/** Decides about a call whose parts are known. They depend on neither the rules nor the mode. */
export function authorizeParts(
  request: AuthorizeRequest,
  given: CallParts,
  rules: Rules,
  mode: PermissionMode,
  world: PermissionWorld,
  logins: LoginRules = loginRules(world),
): Authorization {
  const compiled = compileRules(rules, world, () => (given.ok ? given.parts.flatMap(touchedBy) : []));
  const read = given.ok && request.failedInView ? { ...given, parts: given.parts.map(unproven) } : given;
  const isInBackground = runsInBackground(request);
  const movesBesideRead = world.readsInBackground === true && read.ok && movesPaths(read.parts, world);
  const held: Case = {
    request,
    rules: compiled,
    logins,
    mode,
    world,
    // A script in the background edits later, when other calls may have changed what its paths mean.
    acceptsEdits:
      mode === 'acceptEdits' && read.ok && read.isPlainEdit && !isInBackground && !movesBesideRead,
    movesBesideRead,
    hasCovered:
      read.ok && read.parts.some(leansOnRule) && read.parts.some((part) => isCovered(part, compiled)),
    inView: read.ok && world.readOnlyView === true && fitsView(request, read.parts, compiled, world),
    readsLater:
      isInBackground &&
      read.ok &&
      read.parts.some(({ kind }) => kind === 'read') &&
      (mode === 'acceptEdits' || world.readOnlyView !== true || asksAboutReading(compiled)),
    keepsView: isInBackground && world.readOnlyView === true && compiled.restrictsReading,
  };
  const verdicts = read.ok
    ? askAboutProjectPrograms(
        request,
        read.parts,
        read.parts.map((part) => decidePart(part, held)),
        world,
      )
    : decideUnread(read, held);
  const { readOnlyRun } = conditionOf(request.tool, verdicts);
  const isAllowed = request.hookDecision !== 'ask' && verdicts.every(({ decision }) => decision === 'allow');
  if (!read.ok || !isAllowed) return combineVerdicts(request, mode, verdicts);
  const asking = (reason: string): Authorization =>
    combineVerdicts(request, mode, [...verdicts, wholeCall(request, reason)]);
  const guard = processGuard(read, verdicts, held);
  if (guard === 'question') return asking(SHOWS_PROCESS.reason);
  const hidesLogins = readOnlyRun !== undefined && world.readOnlyView === true;
  if (!hidesLogins && mayReachLogin(read, verdicts, held)) return asking(SHOWS_LOGIN.reason);
  if (readOnlyRun === undefined) return combineVerdicts(request, mode, verdicts);
  if (readOnlyRun === 'edits' && request.failedInView) return asking(FAILED_IN_VIEW);
  const isMove = readOnlyRun === 'edits' && movesPaths(read.parts, world);
  const allowed: Authorization = {
    ...combineVerdicts(request, mode, verdicts),
    ...(isMove ? { readOnlyRun: 'moves' } : {}),
  };
  if (world.readOnlyView !== true) return allowed;
  const limited = { parts: read.parts, rules: compiled, world };
  const fileLimits = readOnlyRun === 'edits' ? editLimits(limited) : readLimits(limited);
  if (fileLimits === 'too many places') return asking(TOO_MANY_PLACES);
  return {
    ...allowed,
    ...(guard === 'view' ? { readOnlyRun: 'required' } : {}),
    ...omitUndefined({ fileLimits }),
  };
}

/**
 * Returns how a call is kept from the environment of other processes, to which a link in the project may lead: by the
 * read-only view, which shows no other process, or by a question. The sandbox hides other processes, too.
 */
function processGuard(
  { parts, showsHost, readsListed }: Extract<CallParts, { ok: true }>,
  verdicts: readonly PartDecision[],
  { request, mode, world }: Case,
): 'none' | 'view' | 'question' {
  if (mode === 'bypassPermissions' || request.sandboxed || !mayFollowLinks(parts)) return 'none';
  const has = (basis: PartDecision['basis']): boolean => verdicts.some((verdict) => verdict.basis === basis);
  const isReadOnly = !has('permit') && !has('edit');
  if (isReadOnly && world.readOnlyView === true && !showsHost) return 'view';
  // A rule that covers every command accepts that not all files can be looked at.
  const isCoveredByRules =
    (has('permit') || verdicts.some(isProvenBesideRule)) && !verdicts.some(isProvenAlone);
  const isOpen = readsListed && world.readOnlyView !== true && world.exists('/proc');
  if (isOpen && !isCoveredByRules) return 'question';
  const { command } = request.input;
  const links = findProcessLinks(parts, typeof command === 'string' ? command : '', world);
  return links === 'found' || (links === 'unknown' && !isCoveredByRules) ? 'question' : 'none';
}

function isProvenAlone({ basis, rule }: PartDecision): boolean {
  return basis === 'proof' && rule === undefined;
}

/** A rule covers the command, and it is proven so that it keeps the view. */
function isProvenBesideRule({ basis, rule }: PartDecision): boolean {
  return basis === 'proof' && rule !== undefined;
}

/** A script among its words: `timeout 5 sh -c 'find -L . | xargs cat'`. */
const STARTS_SHELL = /(?:^|[\s/])(?:(?:ba|da|z|k|a)?sh|eval)(?=\s)/;

/** Returns whether unknown files of a call may be those with logins of the program. Not for a call in the view, which hides them. */
function mayReachLogin(
  { parts, reaches }: Extract<CallParts, { ok: true }>,
  verdicts: readonly PartDecision[],
  { request, mode, logins: { present }, world }: Case,
): boolean {
  if (mode === 'bypassPermissions' || request.sandboxed || present.length === 0) return false;
  if (mayFollowTo(present, parts, world)) return true;
  const startsShell = parts.some((part) => part.kind === 'command' && STARTS_SHELL.test(part.shown));
  if (!startsShell && !parts.some(isUnknownRead)) return false;
  const linked = namesThroughLinks(present, world);
  // How a script among the words follows links is not known. Links of a project that lead to logins are rare.
  if (startsShell && linked.length > 0) return true;
  if (!parts.some(isUnknownRead)) return false;
  const reach = reaches([...present, ...linked]);
  // A rule that covers every command accepts names that come from a text.
  const isCoveredByRules = !verdicts.some(isProvenAlone);
  return reach === 'some' || (reach === 'any' && !isCoveredByRules);
}

/** Returns the paths of a part, and those that its glob finds. */
function touchedBy(part: Part): readonly string[] {
  if (part.kind !== 'read' && part.kind !== 'write' && part.kind !== 'remove') return [];
  const found = part.glob?.found(part.glob.optioned) ?? [];
  return [...(part.places ?? []), ...found].flatMap(({ path, real }) =>
    path === real ? [path] : [path, real],
  );
}

const FAILED_IN_VIEW =
  'The script failed because it writes to a place that its permitted edits do not include.';
const TOO_MANY_PLACES =
  'The working directories contain more protected places than can be guarded while the script runs.';

function wholeCall({ tool }: AuthorizeRequest, reason: string): PartDecision {
  return { kind: 'call', part: tool, decision: 'ask', reason, isSilent: false, isSevere: true };
}

/**
 * A script with a command that may have any effect runs with the user's search path. There a name that was proven may lead
 * to a program of the project, so such a command asks. If the programs of the system belong to the project, each such command does.
 */
function askAboutProjectPrograms(
  { sandboxed, hookDecision }: AuthorizeRequest,
  parts: readonly Part[],
  verdicts: readonly PartDecision[],
  world: PermissionWorld,
): readonly PartDecision[] {
  if (sandboxed || hookDecision === 'allow') return verdicts;
  const asksAlways = world.hasProgramsOfSystem?.() === false;
  if (!asksAlways && !verdicts.some(({ basis }) => basis === 'permit')) return verdicts;
  return verdicts.map((verdict, index) => {
    const part = parts[index];
    const isProgram = part?.kind === 'command' && part.mayRunProject;
    const isLimited =
      verdict.basis === 'proof' || verdict.basis === 'edit' || (asksAlways && verdict.basis === 'view');
    if (!isProgram || !isLimited) return verdict;
    const reason = `PATH contains a folder of the project, which may replace the command ${verdict.part}.`;
    return { ...verdict, decision: 'ask', reason };
  });
}

function runsInBackground({ tool, input }: AuthorizeRequest): boolean {
  return tool === 'Monitor' || (input['run_in_background'] ?? false) !== false;
}

/** The view hides what a deny rule matches. It cannot ask. */
function asksAboutReading({ ask }: CompiledRules): boolean {
  return ask.some(({ names, specifier }) => specifier?.path !== undefined && names('Read'));
}

function leansOnRule(part: Part): boolean {
  return part.kind === 'command' && part.readOnly === 'beside a rule';
}

function isCovered(part: Part, rules: CompiledRules): boolean {
  return part.kind === 'command' && !part.inner && findCoveringRule(part, rules) !== undefined;
}

/** The command failed in the read-only view, so it does more than read. */
function unproven(part: Part): Part {
  if (part.kind === 'command') return { ...part, readOnly: 'no', confinable: 'no' };
  return part.kind === 'call' ? { ...part, readOnly: false } : part;
}

/** Combines the verdicts of all parts: the strongest one decides. Of equals, the most informative one is reported. */
function combineVerdicts(
  { hookDecision, tool }: AuthorizeRequest,
  mode: PermissionMode,
  verdicts: readonly PartDecision[],
): Authorization {
  const first = (decision: PermissionDecision): PermissionVerdict | undefined => {
    const found = verdicts.filter((verdict) => verdict.decision === decision);
    return (
      found.find(({ rule }) => rule !== undefined) ??
      found.find(({ isSevere }) => isSevere) ??
      found.find(({ isSilent }) => !isSilent) ??
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
    ...omitUndefined({ rule, source, file }),
    ...(decision === 'allow' ? conditionOf(tool, verdicts) : {}),
    parts: reportedVerdicts(verdicts),
  };
}

/**
 * One part that only the view allows requires the view. A part that is allowed with all its effects removes that
 * condition. Permitted edits remove it too, but the script must not run programs of the project.
 */
function conditionOf(tool: string, verdicts: readonly PartDecision[]): Pick<Authorization, 'readOnlyRun'> {
  const has = (basis: PartDecision['basis']): boolean => verdicts.some((verdict) => verdict.basis === basis);
  if (has('view')) return { readOnlyRun: 'required' };
  if (has('permit')) return {};
  if (has('edit')) return isShellTool(tool) ? { readOnlyRun: 'edits' } : {};
  return has('proof') ? { readOnlyRun: 'preferred' } : {};
}

/** Parts that are only possible, or that depend on another part, are reported only if they decide. */
function reportedVerdicts(verdicts: readonly PartDecision[]): PartVerdict[] {
  const loud = verdicts.filter(({ isSilent, decision }) => !isSilent || decision !== 'allow');
  return (loud.length > 0 ? loud : verdicts).map(
    ({ isSilent: _quiet, isSevere: _grave, basis: _ground, ...verdict }) => verdict,
  );
}

/**
 * Decides about a shell command that the grammar does not understand. Deny and ask rules apply in every mode, so one that
 * concerns commands or files is assumed to match.
 */
export function decideUnread(
  { call, command, reason }: { readonly call: CallPart; readonly command: string; readonly reason: string },
  held: Case,
): PartDecision[] {
  const whole = decidePart(call, held);
  if (whole.decision !== 'allow') return [whole];
  const decide = (decision: 'ask' | 'deny', why: string): PartDecision[] => [
    { kind: 'command', part: command, decision, reason: why, isSilent: false },
  ];
  if (held.mode === 'plan') return decide('deny', 'Plan mode: nothing with effects runs.');
  const problem = reason === TOO_MUCH_WORK ? 'was not checked to its end' : 'cannot be read';
  const why = `The ${isShellTool(call.tool) ? 'command' : 'call'} ${problem}: ${reason}.`;
  const { sandboxed = false } = held.request;
  if (held.mode !== 'bypassPermissions' && !sandboxed) return decide('ask', why);
  if (restricts(held.rules, ['Bash', 'Read', 'Edit', 'WebFetch']))
    return decide('ask', `${why} A deny or ask rule may apply to it.`);
  if (mayRemoveFiles(command)) return decide('ask', `${why} It may remove files.`);
  return [
    {
      kind: 'command',
      part: command,
      decision: 'allow',
      reason: sandboxed ? 'It runs in the sandbox.' : 'The mode bypassPermissions allows it.',
      isSilent: false,
      basis: 'permit',
    },
  ];
}

/**
 * Returns whether a call may run in the read-only view instead of asking. Every command must only read, by proof or by
 * its program, and no known file or named pipe may be written. If a deny or ask rule concerns commands or files, a program that reads
 * or runs unknown files does not fit.
 */
export function fitsView(
  { tool, sandboxed }: AuthorizeRequest,
  parts: readonly Part[],
  rules: CompiledRules,
  world: PermissionWorld,
): boolean {
  if (tool !== 'Bash' || sandboxed) return false;
  const isBound = restricts(rules, ['Bash', 'Read', 'Edit']);
  return parts.every((part) => fits(part, isBound, world));
}

/** Returns whether a deny or ask rule concerns some commands, files or hosts, by the names of these tools. */
function restricts({ deny, ask }: CompiledRules, tools: readonly string[]): boolean {
  return [...deny, ...ask].some(({ names, specifier }) => specifier !== undefined && tools.some(names));
}

function fits(part: Part, isBound: boolean, world: PermissionWorld): boolean {
  switch (part.kind) {
    case 'call':
      return part.shares || part.readOnly;
    case 'command':
      if (part.concern) return false;
      return (
        part.inner ||
        part.readOnly !== 'no' ||
        part.confinable === 'closed' ||
        (part.confinable === 'yes' && !isBound)
      );
    case 'read':
      // A program without a proof may write to a file that it seems to read. The view does not prevent that for a named pipe.
      return !mayReadPipe(part, world);
    case 'write':
    case 'remove':
    case 'fetch':
      return false;
  }
}
