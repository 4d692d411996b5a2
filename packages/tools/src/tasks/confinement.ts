/** How a command is started where it cannot do everything its user can. Made for one command; whoever makes it owns the sandbox. */
export interface Confinement {
  /** A file of this command alone that the command can write to. The shell stores its last folder there at its end. */
  readonly report: string;
  /** What to start in place of `bash -c script`. Without an answer the command must not run. Never rejects. */
  start(script: string): Promise<Launch>;
  /** The command is over, started or not: sentences for the model, about what was refused or undone. Never rejects. */
  ended(end: ConfinedEnd): Promise<readonly string[]>;
}

export type Launch =
  | {
      readonly ok: true;
      readonly file: string;
      readonly args: readonly string[];
      /** Descriptors that it gets as 3, 4 and so on. `ended` closes them. */
      readonly inherits?: readonly number[];
    }
  | { readonly ok: false; readonly why: string };

export interface ConfinedEnd {
  /** It ended by itself, and not well: what was refused may be why. */
  readonly failed: boolean;
  /** The end of what it wrote. */
  readonly output: string;
}
