/** What tools and the loop share for one iteration. Plain and frozen: a change makes a new one for the next iteration. */
import { fingerprint } from '../fingerprint.ts';
import type { FinishedCall } from '../machine/effects.ts';
import type { ToolResultBlock, ToolUseBlock } from '../messages/blocks.ts';
import { errorMessage } from '../thrown.ts';
import type { Tool } from './tool.ts';

export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions';

export interface ToolUseContext {
  readonly tools: readonly Tool[];
  readonly model: string;
  readonly permissionMode: PermissionMode;
  readonly signal: AbortSignal;
  readonly workingDirectory: string;
  readonly additionalDirectories: readonly string[];
  /** Undefined on the main thread. */
  readonly agentId: string | undefined;
  /** What was read, and its hash. The loop only carries it. */
  readonly fileState: FileStateCache;
  /** Tells, by the rules as they are now, whether a file may not be shown. For tools that walk over many files. */
  readonly deniedFiles?: () => Promise<(file: string) => boolean>;
  /** The folders that the agent works in, as they are now: the project first. Undefined: any folder will do. */
  readonly workingFolders?: () => readonly string[];
  /** Where the paths of this call led when it was permitted; undefined before, and for calls that name no path. */
  readonly places?: readonly PermittedPlace[];
}

/** A path of a call's input, and where it led when permission was decided. */
export interface PermittedPlace {
  /** Absolute, as it was written. */
  readonly path: string;
  /** With every symbolic link followed. */
  readonly real: string;
}

/** What tools have changed of it, as plain data: it outlasts the run, and a session that is resumed takes it up again. */
export interface SessionState {
  readonly workingDirectory: string;
  readonly permissionMode: PermissionMode;
  /** Names, in order: tools that were loaded on demand stay loaded. */
  readonly tools: readonly string[];
}

export function sessionStateOf({ workingDirectory, permissionMode, tools }: ToolUseContext): SessionState {
  return { workingDirectory, permissionMode, tools: tools.map(({ name }) => name) };
}

export interface FileState {
  readonly hash: string;
  readonly readAt: number;
  readonly range?: { readonly offset: number; readonly limit: number };
}

export interface FileStateCache {
  get(path: string): FileState | undefined;
  set(path: string, state: FileState): void;
  paths(): readonly string[];
}
/** The words in which the model is told of calls that did not come to an end of their own. */
export const NOT_RUN = 'The call was not run: the turn was interrupted before it began.';
export const NOT_RUN_AFTER_ERROR = 'The call was not run: an internal error ended the turn before it began.';
export const INTERRUPTED_CALL =
  'The call was interrupted. It may or may not have taken effect: look before you repeat it.';
export const REPEATED_ID =
  'The call was not run: another call of this answer has the same id. If you meant it, call the tool again.';
export const SIBLING_FAILED = 'Cancelled: a command that ran beside this call failed.';

export function toolError(message: string): string {
  return `<tool_use_error>${message}</tool_use_error>`;
}

/** The message of an error without the marks that {@link toolError} puts around it. */
export function bareToolError(text: string): string {
  return text.replace(/^<tool_use_error>([^]*)<\/tool_use_error>$/, '$1');
}

// A call with its result, as the machine compares them: two that look the same to it did the same. The loop makes it of what
// just happened, the replay of what was recorded; both must come to the same, or no replay would agree.

export function finishedCall(
  { name, input }: ToolUseBlock,
  result: ToolResultBlock | undefined,
): FinishedCall {
  // In a log that somebody changed any of them may be missing.
  const [tool = '', ...parts] = [name, jsonOf(input), jsonOf(result?.content ?? '')].map(String);
  return { tool, fingerprint: fingerprint([tool, ...parts]) };
}

/** Total: what JSON cannot hold (a circle) is named by the reason why. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    return errorMessage(thrown);
  }
}
