/** What the shell tools need from the house around them. */
import type { Confinement } from '../tasks/confinement.ts';
import type { TaskRegistry } from '../tasks/registry.ts';
import type { BashLimits } from './result.ts';

export interface ShellDeps {
  readonly tasks: TaskRegistry;
  /** For child processes: without the keys to the models. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** Where to go back to when the working directory is gone. */
  readonly projectDirectory: string;
  readonly limits?: Partial<BashLimits> | undefined;
  /** Commands run inside it. Undefined: nobody wants one. */
  readonly sandbox?: ShellSandbox | undefined;
  /** For commands that are permitted on the condition that they have no effects. Undefined: there is none. */
  readonly view?: ShellView | undefined;
}

/** A place in which commands cannot change anything. */
export interface ShellView {
  /** Undefined if there is no such place on this machine. Never rejects. */
  /** `isProven`: the proof knows every program of the command; others get a narrower view. */
  confine(
    command: Pick<CommandToRun, 'command' | 'directory'> & { readonly isProven: boolean },
  ): Promise<Confinement | undefined>;
}

/** Who decides how each command is run. Where it cannot be confined although it should, it is not run. */
export interface ShellSandbox {
  /** Whether the model may ask to run a command outside of it. */
  readonly mayLeave: boolean;
  confine(command: CommandToRun): Promise<ConfinedCommand>;
}

export interface CommandToRun {
  readonly command: string;
  readonly directory: string;
  /** The model asks to run it outside, and permission was given for that. */
  readonly leave: boolean;
  /** It is permitted on the condition that it has no effects: it may write nothing but its temporary files. */
  readonly readOnly: boolean;
}

export type ConfinedCommand =
  | { readonly kind: 'inside'; readonly confinement: Confinement }
  | { readonly kind: 'outside' }
  | { readonly kind: 'refused'; readonly why: string };
