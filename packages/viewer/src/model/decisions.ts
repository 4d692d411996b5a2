/** The decisions of the machine in one run, for the page. */

export interface DecisionStep {
  readonly iteration: number;
  /** The effect whose event arrived. `begin` at the start of an iteration. */
  readonly effect: string;
  readonly event: string;
  readonly guards: readonly { readonly name: string; readonly answer: boolean; readonly text: string }[];
  readonly decision: string;
  /** The effect, the reason to continue, or the end. */
  readonly next: { readonly kind: 'do' | 'continue' | 'stop'; readonly name: string };
  /** Fields of the state that differ from the start. */
  readonly state: string;
}

export interface DecidedIteration {
  readonly iteration: number;
  readonly verdict: 'confirmed' | 'parted' | 'undecided' | 'unchecked';
  /** Entries that the iteration stored. */
  readonly stored: readonly { readonly line: number; readonly text: string }[];
}

export interface RunDecisions {
  readonly run: number;
  /** The settings that explain the run, if they differ from the defaults. */
  readonly settings: string;
  readonly steps: readonly DecisionStep[];
  readonly iterations: readonly DecidedIteration[];
}

/** A part of the decisions of a run. A long run has ten thousand of them. */
export interface DecisionPage extends RunDecisions {
  /** The number of decisions of the whole run. */
  readonly stepCount: number;
  /** The iteration from which the next page starts, counted from 0. Null on the last page. */
  readonly next: number | null;
}
