/**
 * Collects facts about the start folder of a session. They are read once, with a few small reads and no process, so
 * that the first request does not wait. A resumed session keeps them byte for byte.
 *
 * Facts that differ between sessions come before the first message, not after the system prompt. So the head of a
 * request is the same for all sessions of a folder, and so is its cache.
 */
import type { Attachment, History, Message } from '@heddle/core';
import { gitPath } from '@heddle/tools/git';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { InstructionFile } from '../instructions/instruction-files.ts';
import { INSTRUCTIONS, instructionText } from '../instructions/instruction-text.ts';
import { readSmallFile } from '../extensions/small-file.ts';
import { acceptedRepositoryTop } from '../settings/scopes.ts';

export interface ContextPlaces {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Additional working directories. */
  readonly directories: readonly string[];
  readonly now: number;
  /** The instruction files that apply from the start. */
  readonly instructions: readonly InstructionFile[];
  /** A sentence about MCP servers that are connecting. */
  readonly servers?: string | undefined;
  /** Skips the repository. */
  readonly bare: boolean;
}

export interface SessionContext {
  readonly systemContext: Readonly<Record<string, string>>;
  readonly userContext: Readonly<Record<string, string>>;
}

export function sessionContext(places: ContextPlaces): SessionContext {
  const { cwd, env, directories, now, servers, bare } = places;
  const top = bare ? undefined : acceptedRepositoryTop(cwd);
  const shell = env['SHELL'];
  const instructions = instructionText(places.instructions);
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
      ...(servers === undefined ? {} : { 'MCP servers': servers }),
      ...(instructions === undefined ? {} : { [INSTRUCTIONS]: instructions }),
    },
  };
}

export const DATE = "Today's date";

/** Formats the date in the user's time zone. */
function dateOf(now: number): string {
  const date = new Date(now);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const NOW = 'The date is now ';

/** Undefined if the model was not given a date, or has the right one. */
export function dateNote(
  began: string | undefined,
  messages: History<Message>,
  now: number,
): readonly Attachment[] {
  if (began === undefined) return [];
  const today = dateOf(now);
  if ((lastDate(messages) ?? began) === today) return [];
  return [{ kind: 'reminder', about: 'other', text: `${NOW}${today}.` }];
}

function lastDate(messages: History<Message>): string | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages.at(index);
    const attachment = message?.type === 'attachment' ? message.attachment : undefined;
    if (attachment?.kind === 'reminder' && attachment.text.startsWith(NOW))
      return attachment.text.slice(NOW.length, -1);
  }
  return undefined;
}

// The branch is read from the repository's files. Running git would cost a process before the first request. In an
// untrusted folder, git may run programs from its configuration. The model can ask for the status itself.

/** Undefined if HEAD is not on a branch, or cannot be read. */
function branchOf(top: string): string | undefined {
  const head = headOf(gitFolder(path.join(top, '.git')));
  return head === undefined ? undefined : branchIn(head);
}

/** Returns the branch of the repository that contains a folder. */
export function currentBranch(folder: string): string | undefined {
  const top = acceptedRepositoryTop(folder);
  return top === undefined ? undefined : branchOf(top);
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

/** Operations that may be in progress in a repository. */
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
  return named === undefined ? undefined : gitPath(path.dirname(dotGit), named);
}
