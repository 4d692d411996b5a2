/** The dependencies of the shell tools. */
import type { FileLimits } from '@heddle/core';
import type { Monitors } from '../tasks/monitors.ts';
import type { Confinement } from '../tasks/confinement.ts';
import type { TaskRegistry } from '../tasks/registry.ts';
import type { BashLimits } from './result.ts';

export interface ShellDeps {
  readonly tasks: TaskRegistry;
  /** Without it, there is no Monitor tool. */
  readonly monitors?: Monitors | undefined;
  /** For child processes: without the keys to the models. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** The span of a call, as the variable `TRACEPARENT` of its command. Undefined: telemetry is off. */
  readonly traceparentOf?: ((toolUseId: string | undefined) => string | undefined) | undefined;
  /** The fallback when the working directory is gone. */
  readonly projectDirectory: string;
  readonly limits?: Partial<BashLimits> | undefined;
  /** Commands run inside it. Undefined: no sandbox is configured. */
  readonly sandbox?: ShellSandbox | undefined;
  /**
   * For commands that are permitted on the condition that they have no effects. Undefined: not available.
   */
  readonly view?: ShellView | undefined;
}

/** A view of the file system that is read-only, except for the writable places of `fileLimits`. */
export interface ShellView {
  /** Returns undefined if this machine does not support it. Never rejects. */
  confine(command: ViewedCommand): Promise<Confinement | undefined>;
}

interface ViewedCommand extends Pick<CommandToRun, 'command' | 'directory'> {
  /** The proof knows every program of the command. Others get a narrower view. */
  readonly isProven: boolean;
  readonly fileLimits?: FileLimits | undefined;
}

/** Decides how each command runs. A command that should be confined and cannot be does not run. */
export interface ShellSandbox {
  /** Whether the model may ask to run a command outside of it. */
  readonly mayLeave: boolean;
  confine(command: CommandToRun): Promise<ConfinedCommand>;
}

export interface CommandToRun {
  readonly command: string;
  readonly directory: string;
  /** The environment that it runs with. If undefined, the current one of commands. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** The model asks to run it outside, and permission was given for that. */
  readonly leave: boolean;
  /** It is permitted on the condition that it has no effects: it may write only its temporary files. */
  readonly readOnly: boolean;
}

export type ConfinedCommand =
  | { readonly kind: 'inside'; readonly confinement: Confinement }
  | { readonly kind: 'outside' }
  | { readonly kind: 'refused'; readonly why: string };
