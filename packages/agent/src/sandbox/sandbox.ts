/** A place where commands run with less than their user's power. Ours is built on sandbox-runtime; another can take its place. */
import type { ConfinedEnd, Launch } from '@heddle/tools';
import type { SandboxPolicy } from './policy/policy.ts';

export interface Sandbox {
  /** Starts it. Later calls give the same answer. Never rejects. */
  prepare(): Promise<SandboxReadiness>;
  /** Before the first of these, `prepare` must have said that it is ready. Never rejects. */
  wrap(command: Wrapping): Promise<Wrapped>;
  /** Nothing is wrapped any more. */
  dispose(): Promise<void>;
}

export type SandboxReadiness =
  | { readonly ready: true }
  | {
      readonly ready: false;
      /** What is wrong, as a whole sentence. */
      readonly reason: string;
      /** The command that would mend it, where one would. */
      readonly install: string | undefined;
    };

export interface Wrapping {
  /** What bash is to run. */
  readonly script: string;
  /** The same as its author wrote it. */
  readonly command: string;
  /** Where it starts. */
  readonly directory: string;
  /** A folder that it may write to and nobody else uses. */
  readonly temp: string;
  readonly policy: SandboxPolicy;
}

export interface Wrapped {
  readonly launch: Launch;
  /** To be called once, when the command is over or was not started. Never rejects. */
  ended(end: ConfinedEnd): Promise<WrappedEnd>;
}

export interface WrappedEnd {
  /** What was refused, in whole sentences. */
  readonly refused: readonly string[];
  /** Paths that should have been kept and were not all the time: what is there now may be the command's. */
  readonly exposed: readonly string[];
}

/** Somebody wants to reach a host that no list knows. */
export type AskForHost = (host: string, port: number | undefined) => Promise<boolean>;
