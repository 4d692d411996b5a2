/** Decides when the files of a session are stored: at most every few seconds while a turn runs, and whenever it leaves its worker. */
import type { AgentOptions } from '@heddle/agent';
import { errorMessage, isRecord } from '@heddle/core';
import { openWorkspace, type WorkspaceSetup } from './git-workspace.ts';

export interface SessionFiles {
  readonly folder: string;
  readonly news: NonNullable<AgentOptions['news']>;
  /** Stores the files. A failure is reported and is not an error of the turn: the last snapshot stays. */
  save(): Promise<void>;
  /** Stores the files unless that was done a moment ago. Does not wait. */
  saveSoon(): void;
}

const PAUSE_MS = 5_000;

/** `lastSeq` returns the number of the last stored line. `tell` receives the reason if files could not be stored. */
export async function openFiles(
  setup: WorkspaceSetup,
  lastSeq: () => number,
  log: (text: string) => void,
): Promise<SessionFiles> {
  const workspace = await openWorkspace(setup);
  let { note } = workspace;
  let last = Promise.resolve();
  let savedAt = Date.now();
  let lastReport = '';
  const report = (thrown: unknown): void => {
    const text = `the files of ${setup.turn.session} were not stored: ${errorMessage(thrown)}`;
    // Most problems stay until the model changes its files.
    if (text !== lastReport) log(text);
    lastReport = text;
  };
  const save = (): Promise<void> => {
    savedAt = Date.now();
    // One at a time: git locks its index.
    last = last.then(() => workspace.save(lastSeq())).catch(report);
    return last;
  };
  return {
    folder: workspace.folder,
    news() {
      const text = note;
      note = undefined;
      return text === undefined ? [] : [{ kind: 'reminder', about: 'other', text }];
    },
    save,
    saveSoon: () => void (Date.now() - savedAt >= PAUSE_MS && save()),
  };
}

const NO_CREDENTIALS =
  'The address of a repository must not contain a user name or a password. The worker clones with its own credentials.';

/** Options are stored and shown, so they must not contain secrets. A user name of SSH is not one. */
export function refuseCredentials(options: object): void {
  const { repo = '' } = sourceOf({ ...options });
  const url = URL.canParse(repo) ? new URL(repo) : undefined;
  if (!url) return;
  if (url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:'))
    throw new Error(NO_CREDENTIALS);
}

/** The repository in the options of a session. */
export function sourceOf(options: Readonly<Record<string, unknown>>): { repo?: string; ref?: string } {
  const { repo, ref } = isRecord(options['workspace']) ? options['workspace'] : {};
  return { ...(typeof repo === 'string' ? { repo } : {}), ...(typeof ref === 'string' ? { ref } : {}) };
}
