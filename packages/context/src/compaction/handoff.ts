/** Builds the history after a compaction: boundary, handoff, content that was read again, and the unchanged last steps. */
import type {
  Attachment,
  AttachmentMessage,
  CompactionTrigger,
  Message,
  SystemMessage,
  UserMessage,
} from '@heddle/core';
import type { RereadFiles } from '../deps.ts';
import { keptOf, type WorkExtract } from './extract.ts';

interface Assembly {
  readonly id: string;
  readonly trigger: CompactionTrigger;
  readonly summary: string | undefined;
  /** The facts of all messages before the tail. */
  readonly extract: WorkExtract;
  readonly instructions: readonly RereadFiles[];
  readonly standing: readonly Attachment[];
  readonly files: readonly RereadFiles[];
  readonly tail: readonly Message[];
  readonly tokensBefore: number;
  readonly stamp: () => { readonly uuid: string; readonly at: number };
}

export function assembleHistory(parts: Assembly): Message[] {
  const { id, trigger, summary, extract, tokensBefore, stamp } = parts;
  const boundary: SystemMessage = {
    type: 'system',
    ...stamp(),
    subtype: 'compact_boundary',
    content: summary === undefined ? 'Earlier steps were left out' : 'The conversation was compacted',
    level: 'info',
    details: { id, trigger, tokensBefore, kept: keptOf(extract) },
  };
  const meta = (content: string): UserMessage => ({ type: 'user', ...stamp(), content, isMeta: true });
  const attached = (attachment: Attachment): AttachmentMessage => ({
    type: 'attachment',
    ...stamp(),
    attachment,
  });
  return [
    boundary,
    meta(handoffText({ summary, extract })),
    ...parts.instructions.map((file) => meta(instructionsText(file))),
    ...parts.standing.map(attached),
    ...parts.files.map((file) => meta(fileText(file))),
    ...parts.tail,
  ];
}

function instructionsText({ path, text }: RereadFiles): string {
  return `These instructions hold for the whole conversation. They were read again from ${path}:\n\n${text}`;
}

export function fileText({ path, text }: RereadFiles): string {
  return `${path}, as it is on disk now:\n\n${text}`;
}

interface Handoff {
  /** Undefined if no model was available. */
  readonly summary: string | undefined;
  readonly extract: WorkExtract;
}

function handoffText({ summary, extract }: Handoff): string {
  const parts = [
    summary === undefined
      ? 'The earlier part of this conversation was left out to save space. These parts of it were kept.'
      : `The earlier part of this conversation was replaced by this handoff, which you wrote yourself.\n\n${summary}`,
    section('Messages of the user, word for word, oldest first', extract.requests.map(quoted)),
    section('The current todo list', extract.todos === undefined ? [] : [extract.todos]),
    section('Files that were changed', extract.changed.map(listed)),
    section('Files that were read', missing(extract.read, summary).map(listed)),
    section('Calls that failed and have not succeeded since', missing(extract.failing, summary).map(listed)),
    section('Calls whose result is missing', extract.open.map(listed)),
    'Continue the work from here. Do not greet, do not recap, and do not ask what was already answered.',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Returns the items that the summary does not mention. */
function missing(items: readonly string[], summary: string | undefined): readonly string[] {
  return summary === undefined ? items : items.filter((item) => !summary.includes(item));
}

function section(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `## ${title}\n${items.join('\n')}`;
}

function quoted(request: string): string {
  return `<request>\n${request}\n</request>`;
}

function listed(item: string): string {
  return `- ${item}`;
}
