/**
 * A sandbox: commands run in it with fewer rights than their user has. The default uses sandbox-runtime, and a host can
 * replace it.
 */
import type { ConfinedEnd, Launch } from '@heddle/tools';
import type { SandboxPolicy } from './policy/policy.ts';

export interface Sandbox {
  /** Starts the sandbox. Later calls return the same result. Never rejects. */
  prepare(): Promise<SandboxReadiness>;
  /** Call it only after `prepare` returned `ready`. Never rejects. */
  wrap(command: Wrapping): Promise<Wrapped>;
  /** Ends the sandbox. No command may be wrapped afterwards. */
  dispose(): Promise<void>;
}

export type SandboxReadiness =
  | { readonly ready: true }
  | {
      readonly ready: false;
      /** A whole sentence. */
      readonly reason: string;
      /** The command that fixes the problem, if one is known. */
      readonly install: string | undefined;
    };

export interface Wrapping {
  /** The script for bash. */
  readonly script: string;
  /** The command as its author wrote it. */
  readonly command: string;
  /** The working directory. */
  readonly directory: string;
  /** A writable folder that no other program uses. */
  readonly temp: string;
  readonly policy: SandboxPolicy;
}

export interface Wrapped {
  readonly launch: Launch;
  /** Call it once, when the command has ended or did not start. Never rejects. */
  ended(end: ConfinedEnd): Promise<WrappedEnd>;
}

export interface WrappedEnd {
  /** Refused accesses, as whole sentences. */
  readonly refused: readonly string[];
  /** Guarded paths that were unprotected for some time. The command may have made the files there. */
  readonly exposed: readonly string[];
}

/** Asks about a host that is on no list. */
export type AskForHost = (host: string, port: number | undefined) => Promise<boolean>;
