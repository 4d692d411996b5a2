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
