/** The state between two prompts and after a resume: working directory, permission mode, loaded tools. */
import { realpathSync, statSync } from 'node:fs';
import type { Attachment, SessionState, Tool } from '@heddle/core';
import type { Session } from '../session/open/open.ts';
import type { AgentOptions } from './options.ts';

/**
 * The state that a session starts or continues with; undefined if there is nothing to remember. A resumed session keeps its
 * mode unless the user selects another. `bypassPermissions` is not kept: the user must select it again.
 */
export function initialSessionState(
  { projection, snapshot }: Pick<Session, 'projection' | 'snapshot'>,
  options: AgentOptions,
): SessionState | undefined {
  const { sessionState: stored } = projection;
  const { cwd, defaultPermissionMode = 'default' } = options;
  const kept = stored?.permissionMode === 'bypassPermissions' ? undefined : stored?.permissionMode;
  const permissionMode = options.permissionMode ?? kept ?? defaultPermissionMode;
  if (!stored)
    return permissionMode === 'default' ? undefined : { workingDirectory: cwd, permissionMode, tools: [] };
  // A session that never changed its folder may be resumed in another one.
  const workingDirectory = stored.workingDirectory === snapshot?.cwd ? cwd : stored.workingDirectory;
  return { ...stored, workingDirectory, permissionMode };
}

interface PromptFacts {
  readonly state: SessionState | undefined;
  /** The folders of the session. The first one is the project. */
  readonly folders: readonly string[];
  readonly isPlanning: boolean;
  readonly dates: readonly Attachment[];
  /** The text that a hook adds to the prompt. */
  readonly hookContext: string | undefined;
}

/** Returns the notes that join a prompt, in order, and the session state if its directory has gone. */
export function promptNotes(
  {
    news,
    identity,
    planInstructions,
    redact = (value) => value,
  }: Pick<AgentOptions, 'identity' | 'news' | 'planInstructions' | 'redact'>,
  { state, folders, isPlanning, dates, hookContext }: PromptFacts,
): { readonly state?: SessionState; readonly notes: readonly Attachment[] } {
  const moved = state && existingFolder(state, folders);
  const hookNote = { kind: 'reminder', about: 'hook', text: hookContext ?? '' } as const;
  return {
    ...(moved?.note ? { state: moved.state } : {}),
    notes: [
      ...(moved?.note ? [moved.note] : []),
      ...(isPlanning ? [planNote(identity, planInstructions)] : []),
      ...redact([...dates, ...(news?.() ?? [])]),
      ...(hookContext === undefined ? [] : [hookNote]),
    ],
  };
}

/** The state with an existing directory, and a note if that differs. The first folder is the project. */
function existingFolder(
  state: SessionState,
  folders: readonly string[],
): { readonly state: SessionState; readonly note?: Attachment } {
  const { workingDirectory: before } = state;
  const [cwd = before] = folders;
  const gone = before === cwd ? undefined : unusable(before, folders);
  if (gone === undefined) return { state };
  const text = `The working directory ${before} ${gone}. It is now ${cwd}.`;
  return { state: { ...state, workingDirectory: cwd }, note: { kind: 'reminder', about: 'other', text } };
}

function unusable(folder: string, folders: readonly string[]): string | undefined {
  if (!isDirectory(folder)) return 'no longer exists';
  const real = realFolder(folder);
  const isInside = folders.some((one) => `${real}/`.startsWith(`${realFolder(one).replace(/\/$/, '')}/`));
  return isInside ? undefined : 'lies outside the folders of this session';
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** Attached to each prompt, so that the model does not learn the mode from denied calls. */
function planNote(identity: AgentOptions['identity'], instructions: string | undefined): Attachment {
  const own = instructions === undefined ? PLAN_NOTE : `${PLANNING_NOTE} ${instructions}`;
  return { kind: 'reminder', about: 'other', text: identity ? READ_ONLY_NOTE : own };
}

const READ_ONLY_NOTE = 'Change nothing: calls with effects are denied.';
const PLANNING_NOTE = 'You are planning: look around, but change nothing.';
const PLAN_NOTE = `${PLANNING_NOTE} When the plan is ready, give it to ExitPlanMode; where you are not offered that tool, give it as your answer.`;

/** For the handoff of a compaction, which does not contain the commands that changed the directory. */
export function whereNote(state: SessionState | undefined, cwd: string): readonly Attachment[] {
  if (!state || state.workingDirectory === cwd) return [];
  return [
    { kind: 'reminder', about: 'other', text: `The working directory is now ${state.workingDirectory}.` },
  ];
}

/** The tools of every request, and those that were loaded on demand. */
export function toolsOf(
  { tools: own, deferredTools, liveTools }: AgentOptions,
  state: SessionState | undefined,
): readonly Tool[] {
  const active = liveTools?.active() ?? [];
  const tools = active.length === 0 ? own : [...own, ...active];
  if (!state || !deferredTools) return tools;
  const present = new Set(tools.map(({ name }) => name));
  const deferred = deferredTools();
  const loaded = state.tools.flatMap((name) => {
    if (present.has(name)) return [];
    return deferred.find((tool) => tool.name === name) ?? [];
  });
  return loaded.length === 0 ? tools : [...tools, ...loaded];
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
