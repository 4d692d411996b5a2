/**
 * What a session should know of the place it begins in. Looked at once, with a few small reads and no process, so that the
 * first request does not wait; a resumed session keeps what it began with, byte for byte.
 *
 * What differs from one session to the next stands before the first message, not behind the system prompt: the head of a
 * request then stays the same for all sessions of a folder, and so does its cache.
 */
import type { Attachment, History, Message } from '@heddle/core';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { repositoryTop, type Scope, SCOPES } from '../settings/scopes.ts';
import { readInstructions, readSmallFile } from './instructions.ts';

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

export const DATE = "Today's date";

/** Of the place where the user is. */
function dateOf(now: number): string {
  const date = new Date(now);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const NOW = 'The date is now ';

/** Nothing where the model has not been told any date, or knows the right one. */
export function dateNote(
  began: string | undefined,
  messages: History<Message>,
  now: number,
): readonly Attachment[] {
  if (began === undefined) return [];
  const today = dateOf(now);
  if ((lastTold(messages) ?? began) === today) return [];
  return [{ kind: 'reminder', about: 'other', text: `${NOW}${today}.` }];
}

function lastTold(messages: History<Message>): string | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages.at(index);
    const attachment = message?.type === 'attachment' ? message.attachment : undefined;
    if (attachment?.kind === 'reminder' && attachment.text.startsWith(NOW))
      return attachment.text.slice(NOW.length, -1);
  }
  return undefined;
}

// Which branch a repository is on, read from its files. Asking git would cost a process before the first request, and in a
// folder that nobody trusts git may run what its configuration names. The model can ask for the status itself.

/** Undefined where HEAD is on no branch, or cannot be read. */
export function branchOf(top: string): string | undefined {
  const head = headOf(gitFolder(path.join(top, '.git')));
  return head === undefined ? undefined : branchIn(head);
}

function describeHead(top: string): string {
  const folder = gitFolder(path.join(top, '.git'));
  const head = headOf(folder);
  if (folder === undefined || head === undefined) return 'its HEAD cannot be read';
  const branch = branchIn(head);
  const where = branch === undefined ? `detached at ${head.trim().slice(0, 12)}` : `on branch ${branch}`;
  const busy = UNDER_WAY.filter(([file]) => existsSync(path.join(folder, file))).map(([, what]) => what);
  return [where, ...busy].join(', ');
}

function headOf(folder: string | undefined): string | undefined {
  return folder === undefined ? undefined : readSmallFile(path.join(folder, 'HEAD'), MOST_BYTES)?.text;
}

function branchIn(head: string): string | undefined {
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
}

const MOST_BYTES = 4_096;

/** What a repository may be in the middle of. */
const UNDER_WAY: readonly (readonly [file: string, what: string])[] = [
  ['MERGE_HEAD', 'in the middle of a merge'],
  ['rebase-merge', 'in the middle of a rebase'],
  ['rebase-apply', 'in the middle of a rebase'],
  ['CHERRY_PICK_HEAD', 'in the middle of a cherry-pick'],
  ['REVERT_HEAD', 'in the middle of a revert'],
  ['BISECT_LOG', 'in the middle of a bisection'],
];

/** In a worktree or a submodule, `.git` is a file that names the folder. */
function gitFolder(dotGit: string): string | undefined {
  const text = readSmallFile(dotGit, MOST_BYTES)?.text;
  if (text === undefined) return existsSync(dotGit) ? dotGit : undefined;
  const named = /^gitdir: (.+)$/m.exec(text)?.[1];
  return named === undefined ? undefined : path.resolve(path.dirname(dotGit), named);
}
