/**
 * Bash: runs a command in its own process group. The working directory persists from one command to the
 * next.
 */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type CallContext,
  omitUndefined,
  type Tool,
  type ToolOutput,
  type ToolUseContext,
} from '@heddle/core';
import { inEditTurn, whileReading } from '../files/edit-turns.ts';
import { inputSchemas } from '../generated/schemas.ts';
import type * as Shell from '../shell/index.ts';
import { withoutShellOptions } from '../shell/variables.ts';
import { previewOf } from '../tasks/preview.ts';
import type { Task, TaskSpec } from '../tasks/task.ts';
import type { ConfinedCommand, ShellDeps } from './deps.ts';
import { type BashData, type BashExit, bashResult, limitsFrom } from './result.ts';
import { type Ran, runInForeground } from './run.ts';
import type { BashInput } from './schema.ts';

/** Above every other limit: a long output is shortened here, because its file is known. */
const MAX_RESULT = 160_000;

const DESCRIPTION =
  'Runs a shell command and shows its output and exit code. The working directory stays for the next command, unless it is outside the project; variables do not. Its standard input is empty. At its time limit it continues in the background.';
const IN_SANDBOX =
  'Commands run in a sandbox: they write in the working directories and in $TMPDIR, not in /tmp, and reach only hosts that are listed.';

export function createBashTool(deps: ShellDeps): Tool<BashInput, BashData> {
  const limits = { ...limitsFrom(deps.environment()), ...deps.limits };
  // Loaded with the schema, so that it is available when a call is classified.
  let shell: typeof Shell | undefined;

  const isProven = (input: BashInput, { workingDirectory, environment }: ToolUseContext): boolean =>
    shell !== undefined &&
    isProvenReadOnly(shell, input, workingDirectory, environment ?? deps.environment());

  return {
    name: 'Bash',
    description: deps.sandbox ? `${DESCRIPTION} ${IN_SANDBOX}` : DESCRIPTION,
    inputJSONSchema: deps.sandbox?.mayLeave ? inputSchemas.Bash : WITHOUT_SANDBOX,
    async inputSchema() {
      const [{ bashInput }, reader] = await Promise.all([import('./schema.ts'), import('../shell/index.ts')]);
      shell = reader;
      return bashInput;
    },
    isReadOnly: isProven,
    // A command that changes the directory keeps its position in the order of the calls, although it
    // changes no file.
    isConcurrencySafe: (input, context) =>
      !(shell?.movesShell(input.command) ?? true) && isProven(input, context),
    failureCancelsSiblings: true,
    maxResultSize: MAX_RESULT,
    compactable: true,
    interruptBehavior: 'cancel',

    validateInput: ({ command }) =>
      command.includes('\0')
        ? { ok: false, message: 'The command holds a NUL character, which no shell can be given.' }
        : { ok: true },

    async call(input, context, onProgress): Promise<ToolOutput<BashData>> {
      const { command } = input;
      if (context.signal.aborted)
        return { data: { command, output: '', exit: { kind: 'stopped', why: 'interrupted' } } };
      const changesNothing = context.readOnlyRun !== undefined || isProven(input, context);
      const run = (continues?: Continues) =>
        runCommand({ deps, limits, shell, changesNothing }, input, context, onProgress, continues);
      const reads = isRead(context.readOnlyRun) && !OPENS_NOTHING.test(command);
      return reads ? whileReading(context, run) : run();
    },

    toResult: bashResult,
  };
}

/** It waits or prints, and no name of a file can mean anything for it. */
const OPENS_NOTHING =
  /^\s*(?:(?:sleep[ \t]+[\d.]+[smhd]?|true|:|date|echo(?:[ \t]+[\w.,:-]+)*)[ \t]*(?:;|&&|\n|$)\s*)+$/;

interface Run {
  readonly deps: ShellDeps;
  readonly limits: ReturnType<typeof limitsFrom>;
  readonly shell: typeof Shell | undefined;
  readonly changesNothing: boolean;
}

async function runCommand(
  { deps, limits, shell, changesNothing }: Run,
  input: BashInput,
  context: CallContext,
  onProgress: Parameters<Tool<BashInput, BashData>['call']>[2],
  continues: Continues | undefined,
): Promise<ToolOutput<BashData>> {
  const { command, description } = input;
  const directory = context.workingDirectory;
  if (!(await isDirectory(directory))) return lostDirectory(command, directory, deps.projectDirectory);
  const environment = environmentOf(deps, input, context, changesNothing ? shell : undefined);
  const confined = await chooseConfinement(deps, input, context);
  if (confined.kind === 'refused') return { data: { command, output: '', exit: confined } };
  const confinement = confined.kind === 'inside' ? confined.confinement : undefined;
  // The part that is shown whole. A longer output has a file that the model can read.
  const keepBytes = Math.max(Math.floor(limits.inlineOutput / 2), 1);
  const { toolUseId: callId, agentId } = context;
  const caller = { callId, agentId, description };
  const spec = { ...caller, command, directory, environment, confinement, changesNothing, keepBytes };
  if (input.run_in_background) return startInBackground(deps.tasks, spec, continues);
  const timeoutMs = Math.min(input.timeout ?? limits.defaultTimeoutMs, limits.maxTimeoutMs);
  const edits = isEdit(context.readOnlyRun);
  const run = () =>
    runInForeground(deps.tasks, {
      spec,
      signal: context.signal,
      timeoutMs,
      promptQuietMs: limits.promptQuietMs,
      endsAtLimit: edits,
      onOutput: (output, bytes) => onProgress({ output, bytes }),
    });
  const isMove = context.readOnlyRun === 'moves';
  const ran = await (edits ? inEditTurn(context, run, { isMove }) : run());
  if (ran.task.end === undefined) continues?.(ran.task.ended);
  const data = dataOf(command, ran.task, exitOf(ran, timeoutMs), limits.inlineOutput, shell);
  const moved = await movedTo(ran.task, directory);
  if (ran.task.end && data.file === undefined) await ran.task.output.remove();
  return moved === undefined ? { data } : continueIn(moved, data, context);
}

/** `shell`: given for a command that changes nothing. */
function environmentOf(
  deps: ShellDeps,
  input: BashInput,
  context: CallContext,
  shell: typeof Shell | undefined,
): Environment {
  const own = withoutShellOptions(context.environment ?? deps.environment());
  const TRACEPARENT = deps.traceparentOf?.(context.toolUseId);
  const added = shell ? readOnlyVariables(shell, input, context, own) : {};
  return { ...own, ...omitUndefined({ TRACEPARENT }), ...added };
}

function dataOf(
  command: string,
  { output, notes, leftSomething }: Task,
  exit: BashExit,
  inlineOutput: number,
  shell: typeof Shell | undefined,
): BashData {
  const view = output.view();
  const meaning = exit.kind === 'exited' && exit.code === 1 ? shell?.meaningOfOne(command) : undefined;
  return {
    command,
    exit,
    output: previewOf(view, inlineOutput),
    bytes: view.bytes,
    ...omitUndefined({ file: view.file }),
    ...(leftSomething ? { leftSomething: true } : {}),
    ...omitUndefined({ meaning }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

type Environment = ReturnType<ShellDeps['environment']>;

/** Tells that a command continues in the background. */
type Continues = (ended: Promise<unknown>) => void;

function isRead(run: CallContext['readOnlyRun']): boolean {
  return run === 'preferred' || run === 'required';
}

function isEdit(run: CallContext['readOnlyRun']): boolean {
  return run === 'edits' || run === 'moves';
}

/** The facts of a repository are read only for commands that may run git. */
function isProvenReadOnly(
  { isReadOnlyCommand, gitFactsFrom, mayRunGit, isDockerLocal }: typeof Shell,
  { command, run_in_background }: BashInput,
  workingDirectory: string,
  environment: Environment,
): boolean {
  if (run_in_background === true) return false;
  const options = { environment, isDockerLocal: () => isDockerLocal(environment) };
  if (isReadOnlyCommand(command, options)) return true;
  if (!mayRunGit(command)) return false;
  const gitIn = gitFactsFrom(workingDirectory, environment);
  return isReadOnlyCommand(command, { ...options, git: gitIn('.'), gitIn });
}

/** Variables that keep git, locales, PATH and library paths from running other code, for a command that changes nothing. */
function readOnlyVariables(
  {
    readOnlyGitEnvironment,
    mayRunGit,
    safeLocale,
    codeOutside,
    settingsOutside,
    withoutFileFilters,
  }: typeof Shell,
  { command }: BashInput,
  { workingDirectory, workingFolders }: CallContext,
  own: Environment,
): Environment {
  const folders = [workingDirectory, ...(workingFolders?.() ?? [])];
  return {
    ...(mayRunGit(command) ? readOnlyGitEnvironment(command) : {}),
    ...settingsOutside(folders, own, command),
    ...safeLocale(own),
    ...withoutFileFilters(own),
    ...codeOutside(folders, own),
  };
}

/** Decides whether the command runs in the sandbox, in a view, or outside of both. */
async function chooseConfinement(
  deps: ShellDeps,
  { command, dangerouslyDisableSandbox: leave = false }: BashInput,
  { workingDirectory: directory, environment, readOnlyRun, fileLimits }: CallContext,
): Promise<ConfinedCommand> {
  const readOnly = isRead(readOnlyRun);
  const whole = { command, directory, environment, leave, readOnly };
  const confined = (await deps.sandbox?.confine(whole)) ?? OUTSIDE;
  const hasView = readOnly || (isEdit(readOnlyRun) && fileLimits !== undefined);
  if (confined.kind !== 'outside' || !hasView) return confined;
  const isProven = readOnlyRun !== 'required';
  const confinement = await deps.view?.confine({ command, directory, isProven, fileLimits });
  if (confinement) return { kind: 'inside', confinement };
  return readOnlyRun === 'required' ? { kind: 'refused', why: NO_VIEW } : OUTSIDE;
}

async function startInBackground(
  tasks: ShellDeps['tasks'],
  spec: TaskSpec,
  continues?: Continues,
): Promise<ToolOutput<BashData>> {
  const task = await tasks.start(spec);
  if (task.end === undefined) continues?.(task.ended);
  await tasks.moveToBackground(task);
  const { end } = task;
  const exit: BashExit =
    end?.kind === 'not_started' ? end : { kind: 'background', id: task.id, why: 'asked' };
  return { data: { command: spec.command, output: '', exit } };
}

/** The next command runs in the folder in which the shell ended, or in the project if that folder is outside. */
async function continueIn(
  moved: string,
  data: BashData,
  { workingFolders }: CallContext,
): Promise<ToolOutput<BashData>> {
  const project = await projectInsteadOf(moved, workingFolders?.());
  const workingDirectory = project ?? moved;
  return {
    data:
      project === undefined
        ? { ...data, directory: moved }
        : { ...data, returned: { from: moved, to: project } },
    newContext: (current) => ({ ...current, workingDirectory }),
  };
}

const OUTSIDE: ConfinedCommand = { kind: 'outside' };
const NO_VIEW = 'It was permitted for a read-only view, which is not available.';

const { dangerouslyDisableSandbox: _leaves, ...properties } = inputSchemas.Bash.properties;
/** Without a sandbox the model is not offered to leave it. */
const WITHOUT_SANDBOX = { ...inputSchemas.Bash, properties };

function exitOf({ how, task }: Ran, timeoutMs: number): BashExit {
  if (how.kind === 'time_limit')
    return { kind: 'background', id: task.id, why: 'time_limit', afterMs: timeoutMs };
  if (how.kind === 'requested') return { kind: 'background', id: task.id, why: 'requested' };
  if (how.kind === 'waiting') return { kind: 'background', id: task.id, why: 'waiting', line: how.line };
  return how;
}

/**
 * Returns the folder of the shell at its end, if it changed. Another name of the same folder does not count. The command
 * can write the report itself. So the result has no links and no `..`, which a decision could read in another way.
 */
async function movedTo({ end, directoryAtEnd }: Task, directory: string): Promise<string | undefined> {
  if (directoryAtEnd === undefined || end === undefined || end.kind === 'stopped') return undefined;
  if (!path.isAbsolute(directoryAtEnd)) return undefined;
  // A folder that is gone has no real path.
  const [before, now] = await Promise.all(
    [directory, directoryAtEnd].map((name) => realpath(name).catch(() => undefined)),
  );
  return now === before ? undefined : now;
}

/**
 * Returns the project if a shell ended outside the session's folders, because rules that allow commands
 * apply only to those.
 */
async function projectInsteadOf(
  directory: string,
  folders: readonly string[] = [],
): Promise<string | undefined> {
  const [project] = folders;
  const real = await realpath(directory).catch(() => directory);
  const reals = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  const isInside = reals.some((folder) => `${real}/`.startsWith(`${folder.replace(/\/$/, '')}/`));
  return isInside ? undefined : project;
}

async function isDirectory(directory: string): Promise<boolean> {
  return stat(directory).then(
    (about) => about.isDirectory(),
    () => false,
  );
}

function lostDirectory(command: string, directory: string, project: string): ToolOutput<BashData> {
  return {
    data: { command, output: '', exit: { kind: 'no_directory', directory, now: project } },
    newContext: (current) => ({ ...current, workingDirectory: project }),
  };
}
