/**
 * Combines the pure decision with the user's answer, and records denials. Several questions may be open at once. A question
 * is withdrawn if its attempt is discarded.
 */
import os from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import {
  type AuthorizeCall,
  type EntryBody,
  errorMessage,
  type JsonObject,
  type Permission,
  type PermissionMode,
  type PermittedPlace,
  type Tool,
  type ToolUseContext,
  omitUndefined,
} from '@heddle/core';
import { readsInBackground, rememberDecision } from '@heddle/tools/files';
import { LivePermissions, type PermissionUpdate } from '../permission/live-permissions.ts';
import type { WorldOptions } from '../permission/observe-world.ts';
import { knownMounts } from '../permission/paths/known-mounts.ts';
import { isSecret } from '../permission/paths/secret-files.ts';
import type { Authorization, AuthorizeRequest } from '../permission/request.ts';
import { fileAccess } from '../permission/rules/file-tools.ts';
import { joinRules, NO_RULES, type PermissionRule, type Rules } from '../permission/rules/rule.ts';
import {
  adviceWithoutUser,
  isPlan,
  isQuestion,
  isShellTool,
  isToolDenied,
} from '../permission/rules/tool-names.ts';
import type { PermissionWorld } from '../permission/world.ts';
import type { Denial, Denials } from './denials.ts';
import type { AgentOptions } from './options.ts';
import type { PermissionAnswer, PermissionQuestion } from '../permission/question.ts';
import { realPath, trustIn } from '../settings/trust.ts';

interface PermissionJournal {
  readonly store: (body: EntryBody) => void;
  /** Settles when the entries so far are stored. Undefined if they are. */
  readonly stored?: () => Promise<void> | undefined;
  readonly denials: Pick<Denials, 'note'>;
}

/** The part of the options that decides about calls. */
export type PermissionOptions = Pick<
  AgentOptions,
  RuleOption | 'sandbox' | 'view' | 'hooks' | 'canUseTool' | 'identity'
>;

/** `more`: rules that count for these decisions beside the live ones, and for no others. */
export function permissionOf(
  options: PermissionOptions,
  record: PermissionJournal,
  more?: Rules,
): AuthorizeCall {
  const live = liveOf(options);
  const authorizeCall: AuthorizeCall = async (tool, input, context, call) => {
    const { toolUseId, hookDecision, hookReason, answered, signal } = call;
    const deny = (message: string, by: Denial['by'] = 'other', interrupt = false): Permission => {
      record.denials.note({ tool_name: tool.name, tool_use_id: toolUseId, tool_input: input, by, message });
      return { behavior: 'deny', message, ...(interrupt ? { interrupt } : {}) };
    };
    const modeNow = (): PermissionMode => live.modeFor(tool.name, live.mode ?? context.permissionMode);
    const mode = modeNow();
    const place = await options.sandbox?.enter({ toolUseId, tool: tool.name, input, mode }, signal);
    if (place?.kind === 'refused') return deny(place.why);
    // A hook may change a variable at any time. The command runs with those that are decided on.
    const environment = answered?.environment ?? environmentFor(tool, options);
    const deciding = { ...context, permissionMode: mode, ...omitUndefined({ environment }) };
    const { readOnly, obstacle } = await proofOf(tool, input, deciding);
    const sandboxed = place?.kind === 'inside' && options.sandbox?.sparesQuestions === true;
    const failedInView = hasFailedInView(options, input);
    const request = requestFor(tool, context, { input, sandboxed, readOnly, failedInView, hookDecision });
    // A model must not write the user's answer. A hook may answer in place of the user.
    if (isQuestion(tool.name) && 'answers' in input && !answered && hookDecision !== 'allow')
      return deny('Only the user can answer: leave out the answers.');
    const readOnlyView = place?.kind !== 'inside' && (await isViewComplete(tool, options));
    const look = () => decider(options, live, { request, readOnlyView, more, environment }, context);
    const remember = rememberDecision();
    const { decide, describe, places } = await look();
    const verdict = decide();
    const allowed: Permission = { behavior: 'allow', ...omitUndefined({ places, environment }) };
    if (verdict.decision === 'allow') {
      const { readOnlyRun, fileLimits } = verdict;
      if (takesTurns(tool, readOnlyRun)) remember(signal, toolUseId, () => changedDecision(verdict, look()));
      return { ...allowed, ...omitUndefined({ readOnlyRun, fileLimits }) };
    }
    if (verdict.decision === 'deny') {
      const why = verdict.rule === undefined ? sentences(verdict.reason, obstacle) : verdict.reason;
      return deny(`Permission denied. ${why}`, byRule(verdict));
    }
    const moved = answered && movedPlace(answered.places, places);
    if (moved) return deny(`Permission denied. ${moved.path} leads to another place since the question.`);
    if (answered) return allowed;
    const reason = sentences(verdict.reason, obstacle, hookReason);
    const question: PermissionQuestion = {
      toolUseId,
      tool: tool.name,
      input,
      reason,
      ...describe(verdict, reason),
      parts: verdict.parts,
      rule: verdict.rule,
      agentId: context.agentId,
      agentDescription: options.identity?.description,
    };
    const byHook = await hookAnswer(options, question, signal);
    if (byHook === undefined && !options.canUseTool)
      return deny(`Permission denied. ${sentences(reason, NO_USER, adviceWithoutUser(tool.name))}`);
    const answer = await recordedAnswer(options, record, question, byHook, signal);
    const { allow, updatedInput, updates, coveredBy } = answer;
    if (coveredBy) {
      live.apply(coveredBy);
      return authorizeCall(tool, input, context, call);
    }
    const refused = answer.message ?? 'The user denied this call.';
    // A withdrawn question has no answer, so nothing was denied.
    if (!allow && signal.aborted) return { behavior: 'deny', message: refused };
    if (!allow) return deny(refused, byHook === undefined ? 'user' : 'hook', answer.interrupt);
    const late = lateDenial(decide, byHook !== undefined, () =>
      applyUpdates(live, updates, { byHook, tool: tool.name, mode: modeNow() }),
    );
    if (late) return deny(`Permission denied. ${late.reason}`, byRule(late));
    // Some hosts always return the input. Another decision would look at the disk after the question.
    const changed = isDeepStrictEqual(updatedInput, input) ? undefined : updatedInput;
    return { ...allowed, ...omitUndefined({ updatedInput: changed }) };
  };
  return authorizeCall;
}

const NO_USER = 'There is no user to ask.';

/** Another call can change what it does, between its decision and its run. */
function takesTurns({ name }: Tool, readOnlyRun: Authorization['readOnlyRun']): boolean {
  return (isShellTool(name) && readOnlyRun !== undefined) || fileAccess(name) === 'write';
}

/**
 * Returns why a call is denied after it was allowed. Rules may have changed while the question was open, and a new deny rule wins.
 * The mode may have changed while a hook looked at the call. A user or host that answers knows the mode.
 */
function lateDenial(
  decide: () => Authorization,
  isByHook: boolean,
  apply: () => void,
): Authorization | undefined {
  const before = isByHook ? decide() : undefined;
  if (before?.decision === 'deny') return before;
  apply();
  const now = decide();
  return now.decision === 'deny' && now.rule !== undefined ? now : undefined;
}

interface Answered {
  readonly byHook: PermissionAnswer | undefined;
  readonly tool: string;
  readonly mode: PermissionMode;
}

/** A hook ends plan mode only with its answer to a plan. */
function applyUpdates(
  live: LivePermissions,
  updates: readonly PermissionUpdate[] | undefined,
  { byHook, tool, mode }: Answered,
): void {
  const keepsMode = byHook !== undefined && mode === 'plan' && !isPlan(tool);
  if (updates) live.apply(updates.filter(({ type }) => type !== 'setMode' || !keepsMode));
}

/** Returns a place whose path is written as one of the question, and leads elsewhere now. */
function movedPlace(
  before: readonly PermittedPlace[] | undefined,
  now: readonly PermittedPlace[] | undefined,
): PermittedPlace | undefined {
  return now?.find(({ path, real }) => before?.some((asked) => asked.path === path && asked.real !== real));
}

/** Returns why a call may not run with its first decision. Undefined if the second one is the same. */
async function changedDecision(
  first: Authorization,
  deciding: ReturnType<typeof decider>,
): Promise<string | undefined> {
  const second = (await deciding).decide();
  const isSame =
    second.decision === 'allow' &&
    second.readOnlyRun === first.readOnlyRun &&
    isDeepStrictEqual(second.fileLimits, first.fileLimits);
  return isSame ? undefined : second.reason;
}

function requestFor(
  tool: Tool,
  { deniedFiles }: ToolUseContext,
  call: Omit<AuthorizeRequest, 'tool' | 'names' | 'leavesOutDenied'>,
): AuthorizeRequest {
  return {
    ...call,
    tool: tool.name,
    names: tool.ruleNames?.(call.input) ?? [],
    leavesOutDenied: tool.leavesOutDenied === true && deniedFiles !== undefined,
  };
}

/** Returns the current environment of commands, for a tool that runs one. Undefined: the tool has its own. */
function environmentFor(
  { name }: Tool,
  { commandEnvironment }: PermissionOptions,
): Readonly<Record<string, string>> | undefined {
  if (!commandEnvironment || !isShellTool(name)) return undefined;
  const defined = Object.entries(commandEnvironment()).flatMap(([variable, value]) =>
    value === undefined ? [] : [[variable, value] as const],
  );
  return Object.fromEntries(defined);
}

/** Whether a command can be allowed because it runs in the view. */
async function isViewComplete({ name }: Tool, { view }: PermissionOptions): Promise<boolean> {
  const readiness = name === 'Bash' ? await view?.readiness() : undefined;
  return readiness?.ready === true && readiness.isComplete;
}

function hasFailedInView({ view }: PermissionOptions, { command }: JsonObject): boolean {
  return typeof command === 'string' && view?.hasFailed(command) === true;
}

function byRule({ rule }: Authorization): Denial['by'] {
  return rule === undefined ? 'other' : 'rule';
}

interface Proof {
  readonly readOnly: boolean;
  /** The reason of the tool why there is no proof. */
  readonly obstacle?: string | undefined;
}

/** A call that only starts other calls has no effects of its own. A proof that throws proves nothing. */
async function proofOf(tool: Tool, input: JsonObject, context: ToolUseContext): Promise<Proof> {
  try {
    const delegated = await tool.delegates?.(input, context.permissionMode);
    if (delegated === true) return { readOnly: true };
    const readOnly = await tool.isReadOnly(input, context);
    return { readOnly, obstacle: delegated === false ? undefined : delegated };
  } catch {
    return { readOnly: false };
  }
}

function sentences(...given: readonly (string | undefined)[]): string {
  return given.filter((one) => one !== undefined).join(' ');
}

type RuleOption = 'cwd' | 'rules' | 'configDirs' | 'configFiles' | 'commandEnvironment';

/** The part of the options that decides about files. */
type RuleOptions = Pick<AgentOptions, RuleOption>;

const lives = new WeakMap<RuleOptions, LivePermissions>();

/** One object for all runs of a conversation, so that rules of an answer hold until its end. */
export function liveOf(options: RuleOptions): LivePermissions {
  const { rules = NO_RULES } = options;
  if (rules instanceof LivePermissions) return rules;
  const live = lives.get(options) ?? new LivePermissions(rules);
  lives.set(options, live);
  return live;
}

/** The project, and the folders that were added to it. */
export function workingFoldersOf(options: RuleOptions): readonly string[] {
  return [options.cwd, ...liveOf(options).directories];
}

/** The shell grammar is loaded once, with the first decision. */
let loading: ReturnType<typeof load> | undefined;

function load() {
  return Promise.all([
    import('../permission/authorize.ts'),
    import('../permission/observe-world.ts'),
    import('../permission/suggest/suggest.ts'),
    import('../permission/rules/compile.ts'),
    import('../permission/call-parts.ts'),
    import('../permission/withheld-files.ts'),
    import('../permission/question-basis.ts'),
  ]);
}

type FileTest = () => Promise<(file: string) => boolean>;

interface FileTestSetup {
  readonly lists: readonly ('deny' | 'ask')[];
  /** The rules that count. All by default. */
  readonly counts?: (rule: PermissionRule) => boolean;
  /** A call was decided already, with a question about data of git. */
  readonly isCall?: boolean;
}

/** Reading these files asks without a rule, and so do those with logins. Known names are not distinguished here, because the test is loaded early. */
const OF_PROCESSES = /^\/proc(?:\/|$)/;

function fileTest(
  options: RuleOptions,
  cwd: string,
  { lists, counts = () => true, isCall = false }: FileTestSetup,
): FileTest {
  const live = liveOf(options);
  return async () => {
    const { deny, ask, allow } = live.rules;
    const rules = { deny: deny.filter(counts), ask: ask.filter(counts), allow };
    const { otherNames } = knownMounts();
    const places = { configDirs: options.configDirs ?? [], realpath: realPath, otherNames };
    const isOfProcesses = (file: string): boolean =>
      [file, ...otherNames(file)].some((name) => OF_PROCESSES.test(name));
    // To type a path answers the question about these files.
    const isAlwaysAsked = (file: string): boolean =>
      (lists.includes('ask') && isOfProcesses(file)) ||
      ((isCall || lists.includes('ask')) && isSecret(file, places));
    if (lists.every((list) => rules[list].length === 0)) return isAlwaysAsked;
    if (isToolDenied('Read', rules)) return () => true;
    loading ??= load();
    const [, { observeWorld }, , { deniedFiles }, , { withheldFiles }] = await loading;
    const world = observeWorld(surroundingsOf(options, live, cwd, []));
    const isForbidden = (isCall ? deniedFiles : withheldFiles)(rules, world, lists);
    return (file) => isAlwaysAsked(file) || isForbidden(file);
  };
}

/** The files that searches omit, by the current rules. */
export function deniedFilesOf(options: RuleOptions, cwd: string): FileTest {
  return fileTest(options, cwd, { lists: ['deny'], isCall: true });
}

/** The files that the user cannot attach by their path. To type a path answers ask rules. */
export function unattachedFilesOf(options: RuleOptions, cwd: string): FileTest {
  return fileTest(options, cwd, { lists: ['deny'] });
}

/** The files that texts of a project, a server or a plugin cannot name. There is no question about them, so ask rules count, too. */
export function unaskedFilesOf(options: RuleOptions, cwd: string): FileTest {
  return fileTest(options, cwd, { lists: ['deny', 'ask'] });
}

/**
 * The same for agents of the user, and for hooks and servers of plugins. Rules in files of a project do not count: they would
 * switch off the guards of the user.
 */
export function unaskedOwnFilesOf(options: RuleOptions, cwd: string): FileTest {
  const isOwn = ({ source }: PermissionRule): boolean => source !== 'project' && source !== 'local';
  return fileTest(options, cwd, { lists: ['deny', 'ask'], counts: isOwn });
}

function surroundingsOf(
  options: RuleOptions,
  live: LivePermissions,
  cwd: string,
  directories: readonly string[],
): WorldOptions {
  return {
    root: options.cwd,
    cwd,
    directories: [...directories, ...live.directories],
    directoryNames: live.directoryNames,
    home: os.homedir(),
    configDirs: [...(options.configDirs ?? []), ...(options.configFiles?.() ?? [])],
    environment: options.commandEnvironment?.() ?? process.env,
  };
}

interface Deciding {
  readonly request: AuthorizeRequest;
  readonly readOnlyView: boolean;
  readonly more: Rules | undefined;
  /** If undefined, the current one. */
  readonly environment: WorldOptions['environment'] | undefined;
}

async function decider(
  options: RuleOptions,
  live: LivePermissions,
  { request, readOnlyView, more, environment }: Deciding,
  context: ToolUseContext,
) {
  loading ??= load();
  const [{ authorize }, { observeWorld }, { suggestions }, , { placesOfCall }, , { questionBasis }] =
    await loading;
  const { workingDirectory: cwd, additionalDirectories } = context;
  const surroundings = {
    ...surroundingsOf(options, live, cwd, additionalDirectories),
    ...omitUndefined({ environment }),
    readOnlyView,
    readsInBackground: readsInBackground([cwd, ...workingFoldersOf(options), ...additionalDirectories]),
    isTrusted: trustIn({ home: os.homedir(), env: process.env }),
  };
  const world: PermissionWorld = observeWorld(surroundings);
  const standing = () => ({
    rules: more ? joinRules(live.rules, more) : live.rules,
    mode: live.modeFor(request.tool, live.mode ?? context.permissionMode),
    world: {
      ...world,
      directories: [...context.additionalDirectories, ...live.directories],
      directoryNames: live.directoryNames,
    },
  });
  const places = placesOfCall(request, world);
  return {
    decide: () => {
      const { rules, mode, world: now } = standing();
      return authorize(request, rules, mode, now);
    },
    /** The parts of a question that need the disk, or the folder of the call. */
    describe: (verdict: Authorization, reason: string) => ({
      basis: questionBasis(verdict, reason, world),
      suggestions: suggestions(request, verdict, standing()),
      workingDirectory: cwd,
      places,
    }),
    /** Resolved once, before the question. The call may open only these places. */
    places,
  };
}

/** The answer of a hook in place of the user. A hook that fails leaves the question to the user. */
async function hookAnswer(
  { hooks }: PermissionOptions,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer | undefined> {
  try {
    return await hooks?.permission?.(question, signal);
  } catch {
    return undefined;
  }
}

/** Stores the question, asks the user if no hook answered, and stores the answer. */
async function recordedAnswer(
  { hooks, canUseTool }: PermissionOptions,
  record: PermissionJournal,
  question: PermissionQuestion,
  byHook: PermissionAnswer | undefined,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { toolUseId, tool, input } = question;
  record.store({ type: 'ask', toolUseId, tool, input });
  await record.stored?.();
  if (byHook === undefined) hooks?.question?.(question);
  const answer = byHook ?? (await answerOf(canUseTool, question, signal));
  const behavior = answer.allow || answer.coveredBy ? 'allow' : 'deny';
  const message = answer.coveredBy ? COVERED : answer.message;
  record.store({ type: 'ask_answer', toolUseId, behavior, ...omitUndefined({ message }) });
  await record.stored?.();
  return answer;
}

const COVERED = 'An earlier answer covers it. The call is decided again.';

/** A question has no deadline, only an abort. A failure to answer is not a permission. */
async function answerOf(
  ask: AgentOptions['canUseTool'],
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { promise: withdrawn, resolve } = Promise.withResolvers<PermissionAnswer>();
  const withdraw = (): void =>
    resolve({ allow: false, message: 'The question was withdrawn: the call was discarded.' });
  if (signal.aborted) withdraw();
  signal.addEventListener('abort', withdraw, { once: true });
  try {
    return await Promise.race([ask?.(question, signal) ?? withdrawn, withdrawn]);
  } catch (thrown) {
    return {
      allow: false,
      message: `The question could not be asked: ${errorMessage(thrown)}`,
    };
  } finally {
    signal.removeEventListener('abort', withdraw);
  }
}
