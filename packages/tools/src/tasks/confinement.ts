/** Starts a command with restricted access. Made for one command. Its creator owns the sandbox. */
export interface Confinement {
  /** A file that only this command can write to. The shell stores its last folder there. */
  readonly report: string;
  /**
   * Returns the program to start in place of `bash -c script`. If it fails, the command must not run.
   * Never rejects.
   */
  start(script: string): Promise<Launch>;
  /**
   * Called after the command, started or not. Returns sentences for the model about rejected or undone
   * effects. Never rejects.
   */
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
  /** It ended by itself and failed. A rejected access may be the reason. */
  readonly failed: boolean;
  /** The end of its output. */
  readonly output: string;
}
