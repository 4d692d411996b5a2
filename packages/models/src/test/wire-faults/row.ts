/**
 * The table of faults by wire format: one row per fault, one column per format. A cell contains a response
 * or the reason why there is none.
 */
import type { Reply } from '@heddle/testing';
import { chunk, events, geminiChunk, RESPONDED, responded, responseOf } from '../raw-answers.ts';
import { CHAT, COMPATIBLE, CONVERSE, GEMINI, RESPONSES } from '../wires.ts';

export const COLUMNS = {
  chat: CHAT,
  compatible: COMPATIBLE,
  responses: RESPONSES,
  gemini: GEMINI,
  converse: CONVERSE,
};
export type Column = keyof typeof COLUMNS;

/** The reason why a format has no such fault. */
export type Cause = { readonly none: string };
export type Cell = Reply | Cause;

/** The expected outcome: a second response, a run of the call, or an end. */
export type Outcome =
  | { readonly is: 'told'; readonly text?: string }
  | { readonly is: 'called'; readonly times?: 2; readonly result?: string }
  | { readonly is: 'repeated'; readonly class: string; readonly words?: string }
  | { readonly is: 'ended'; readonly class: string; readonly words: string }
  | { readonly is: 'refused' }
  | { readonly is: 'too long' };

export interface Row {
  readonly fault: string;
  readonly outcome: Outcome;
  readonly cells: Readonly<Record<Column, Cell>>;
}

/** The same cell for every format. */
export function everywhere(cell: Cell): Row['cells'] {
  return { chat: cell, compatible: cell, responses: cell, gemini: cell, converse: cell };
}

/** The same cell for both packages that read Chat Completions. */
export function chats(cell: Cell): Pick<Row['cells'], 'chat' | 'compatible'> {
  return { chat: cell, compatible: cell };
}

export const NO_TEXT: Cause = { none: 'events are binary frames with a checksum, not text' };
export const WHOLE_INPUT: Cause = { none: 'a call comes whole, its input as an object' };

/** Some servers send it in a stream, and some in place of one. */
export const OVERLOADED = { error: { message: 'The model is overloaded.', code: 503, type: 'server_error' } };

/** One valid response each, as bytes. */
export const GOOD = {
  chat: events(chunk({ content: 'Good.' }), chunk({}, 'stop'), '[DONE]'),
  responses: events(
    { type: 'response.created', response: responseOf('in_progress') },
    ...responded('Good.'),
    RESPONDED,
  ),
  gemini: events(geminiChunk([{ text: 'Good.' }], 'STOP')),
};
