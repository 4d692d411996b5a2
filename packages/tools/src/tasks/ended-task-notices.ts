/**
 * Background tasks whose end was not reported yet. Each has a file from its move to the background until
 * its end was reported, so that neither a crash nor a normal exit loses the notice.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Attachment, isRecord, type Message } from '@heddle/core';
import { outputSizeText, type TaskEnd, taskEndOf } from './preview.ts';

export interface EndedTask {
  readonly id: string;
  readonly command: string;
  readonly end: TaskEnd;
  readonly bytes: number;
  /** The file with its whole output. */
  readonly file: string;
}

/** Without an end: it runs, or did when the program last ran. */
export type EndedTaskNotice = Omit<EndedTask, 'end'> & { readonly end?: TaskEnd | undefined };

const ENDING = '.news.json';

/** If the folder cannot be written, only a later run loses the notice. */
export function writeNotice(folder: string, news: EndedTaskNotice): void {
  try {
    writeFileSync(fileOf(folder, news.id), JSON.stringify(news), { mode: 0o600 });
  } catch {
    // The disk is full, or the folder is gone. This run still has the notice in memory.
  }
}

export function removeNotice(folder: string, id: string): void {
  rmSync(fileOf(folder, id), { force: true });
}

/**
 * Returns the notices that an earlier run did not report. Tasks that still ran then have been ended since.
 */
export function readNotices(folder: string): readonly EndedTask[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(ENDING))
    .flatMap((name) => newsIn(path.join(folder, name)))
    .map(({ end = INTERRUPTED, ...news }) => Object.assign(news, { end }));
}

const INTERRUPTED: TaskEnd = { kind: 'stopped', why: 'the program was interrupted' };

export function attachmentOf({ id, command, end, bytes, file }: EndedTask): Attachment {
  const shown = command.length > MAX_COMMAND ? `${command.slice(0, MAX_COMMAND)}…` : command;
  const output = bytes === 0 ? 'It wrote nothing.' : `It wrote ${outputSizeText(bytes)}: ${file}`;
  return {
    kind: 'task_ended',
    taskId: id,
    text: `The background task ${id} (${shown}) ${taskEndOf(end)}. ${output}`,
  };
}

const MAX_COMMAND = 100;

/**
 * Returns the tasks whose end the conversation already contains: it was stored before the program ended.
 */
export function findReportedTasks(messages: Iterable<Message>): ReadonlySet<string> {
  const reported = new Set<string>();
  for (const message of messages) {
    if (message.type === 'attachment' && message.attachment.kind === 'task_ended')
      reported.add(message.attachment.taskId);
  }
  return reported;
}

function newsIn(file: string): EndedTaskNotice[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isNews(value) ? [value] : [];
  } catch {
    return [];
  }
}

function isNews(value: unknown): value is EndedTaskNotice {
  if (!isRecord(value)) return false;
  if (!('id' in value && 'command' in value && 'file' in value && 'bytes' in value)) return false;
  const hasTexts = [value.id, value.command, value.file].every((text) => typeof text === 'string');
  return hasTexts && typeof value.bytes === 'number' && (!('end' in value) || isEnd(value.end));
}

function isEnd(value: unknown): value is TaskEnd {
  if (!isRecord(value)) return false;
  switch (value.kind) {
    case 'exited':
      return 'code' in value && typeof value.code === 'number';
    case 'signalled':
      return 'signal' in value && typeof value.signal === 'string';
    case 'stopped':
    case 'not_started':
      return 'why' in value && typeof value.why === 'string';
    default:
      return false;
  }
}

function fileOf(folder: string, id: string): string {
  return path.join(folder, `${id}${ENDING}`);
}
