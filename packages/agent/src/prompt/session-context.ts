/**
 * What a session should know of the place it begins in. Looked at once, with a few small reads and no process, so that the
 * first request does not wait; a resumed session keeps what it began with, byte for byte.
 *
 * What differs from one session to the next stands before the first message, not behind the system prompt: the head of a
 * request then stays the same for all sessions of a folder, and so does its cache.
 */
import os from 'node:os';
import path from 'node:path';
import { repositoryTop, type Scope, SCOPES } from '../settings/scopes.ts';
import { DATE, dateOf } from './date.ts';
import { describeHead } from './git-head.ts';
import { readInstructions } from './instructions.ts';

export interface ContextPlaces {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's folders for settings. */
  readonly configDirs: readonly string[];
  /** Where else the agent may work. */
  readonly directories: readonly string[];
  readonly now: number;
  /** Whose instruction files are read; undefined: everybody's. */
  readonly sources?: readonly Scope[] | undefined;
  /** Look for nothing: no repository, no instructions. */
  readonly bare: boolean;
}

export interface SessionContext {
  readonly systemContext: Readonly<Record<string, string>>;
  readonly userContext: Readonly<Record<string, string>>;
}

export function sessionContext(places: ContextPlaces): SessionContext {
  const { cwd, env, configDirs, directories, now, sources = SCOPES, bare } = places;
  const top = bare ? undefined : repositoryTop(cwd);
  const shell = env['SHELL'];
  const instructions = bare ? undefined : readInstructions({ cwd, top, configDirs, sources });
  return {
    systemContext: {
      ...(directories.length === 0 ? {} : { 'Further directories': directories.join(', ') }),
      ...(bare ? {} : { 'Git repository': top === undefined ? 'no' : `yes, its top is ${top}` }),
      Platform: `${process.platform} ${process.arch}, ${os.type()} ${os.release()}`,
      ...(shell ? { "The user's shell": path.basename(shell) } : {}),
    },
    userContext: {
      [DATE]: dateOf(now),
      ...(top === undefined ? {} : { 'Git when the session began': describeHead(top) }),
      ...(instructions === undefined ? {} : { Instructions: instructions }),
    },
  };
}
