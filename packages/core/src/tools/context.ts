/** What tools and the loop share for one iteration. Plain and frozen: a change makes a new one for the next iteration. */
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
export interface Stance {
  readonly workingDirectory: string;
  readonly permissionMode: PermissionMode;
  /** Names, in order: tools that were loaded on demand stay loaded. */
  readonly tools: readonly string[];
}

export function stanceOf({ workingDirectory, permissionMode, tools }: ToolUseContext): Stance {
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
