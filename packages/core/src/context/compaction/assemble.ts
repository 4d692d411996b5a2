/** The history after a compaction: boundary, hand-over, what was read again, and the last steps as they were. */
import type { CompactionTrigger } from '../report.ts';
import type {
  Attachment,
  AttachmentMessage,
  Message,
  SystemMessage,
  UserMessage,
} from '../../messages/message.ts';
import type { ReadAgain } from '../outside.ts';
import { type WorkExtract, keptOf } from './extract.ts';
import { handOverText } from './hand-over.ts';

export interface Assembly {
  readonly id: string;
  readonly trigger: CompactionTrigger;
  readonly summary: string | undefined;
  /** Of everything before the tail. */
  readonly extract: WorkExtract;
  readonly instructions: readonly ReadAgain[];
  readonly standing: readonly Attachment[];
  readonly files: readonly ReadAgain[];
  readonly tail: readonly Message[];
  readonly tokensBefore: number;
  readonly stamp: () => { readonly uuid: string; readonly at: number };
}

export function assemble(parts: Assembly): Message[] {
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
    meta(handOverText({ summary, extract })),
    ...parts.instructions.map((file) => meta(instructionsText(file))),
    ...parts.standing.map(attached),
    ...parts.files.map((file) => meta(fileText(file))),
    ...parts.tail,
  ];
}

function instructionsText({ path, text }: ReadAgain): string {
  return `These instructions hold for the whole conversation. They were read again from ${path}:\n\n${text}`;
}

export function fileText({ path, text }: ReadAgain): string {
  return `${path}, as it is on disk now:\n\n${text}`;
}
