/** The shape of the commands of `heddle fleet` that need a database and no worker. */
import type { Fleet } from '@heddle/fleet';

export interface ClientChoice {
  readonly tenant: string | undefined;
  readonly key: string | undefined;
  readonly by: string | undefined;
  readonly after: number;
  readonly watch: boolean;
  readonly olderThan: string | undefined;
  readonly maxRunning: number | undefined;
  readonly perMinute: number | undefined;
  readonly budgetUsd: number | undefined;
  readonly message: string | undefined;
  readonly rights: string | undefined;
  readonly expires: string | undefined;
  readonly waitSeconds: number;
  readonly worker: number | undefined;
  readonly scheduler: string | undefined;
  /** The repository of a new session, and the commit to begin with. */
  readonly repo: string | undefined;
  readonly ref: string | undefined;
}

/** The report of a command: a value for `--json`, and the same as text. */
export interface Report {
  readonly value: unknown;
  readonly text: string;
  /** The exit code; 0 by default. */
  readonly code?: number;
}

export type Emit = (report: Report) => void;

/** The tenant of sessions that name none. */
export const DEFAULT_TENANT = 'default';

type ClientCommand = (
  fleet: Fleet,
  words: readonly string[],
  choice: ClientChoice,
  emit: Emit,
) => Promise<Report>;

/** By name. `words` are the words that a command takes. */
export type ClientCommands = Readonly<
  Record<string, { readonly words: string; readonly run: ClientCommand }>
>;
