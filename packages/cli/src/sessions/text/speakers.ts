/** Converts a transcript to headings and parts in reading order, and names the call of each result. Pure. */
import { type CallPiece, type Piece, transcriptPartsOf, type TranscriptItem } from '@heddle/agent/sessions';
import type { Message } from '@heddle/core';
import { cutTo, oneLine } from '../../terminal/width.ts';

export type SpeakerText =
  /** `id`: the id of the first message of this speaker. */
  | { readonly kind: 'speaker'; readonly who: Speaker; readonly at: number; readonly id: string }
  | { readonly kind: 'compaction'; readonly at: number; readonly handoff: readonly Piece[] }
  | { readonly kind: 'piece'; readonly piece: Piece /** Of a call or a result. */; readonly name: string };

type Speaker = 'user' | 'assistant' | 'system';

export function* speakerText(items: readonly TranscriptItem[]): Generator<SpeakerText> {
  const calls = new Map<string, CallPiece>();
  let speaker = '';
  for (const item of items) {
    if (item.kind === 'compaction') {
      yield { kind: 'compaction', at: item.at, handoff: item.handoff.flatMap(handoffPieces) };
      speaker = '';
      continue;
    }
    for (const piece of transcriptPartsOf(item.message)) {
      if (piece.kind === 'call') calls.set(piece.id, piece);
      // The results of tools belong to the assistant that called them.
      const who = piece.role === 'tool' ? 'assistant' : piece.role;
      if (who !== speaker) yield { kind: 'speaker', who, at: item.message.at, id: item.message.uuid };
      speaker = who;
      yield { kind: 'piece', piece, name: nameOf(piece, calls) };
    }
  }
}

const MAX_NAME_LENGTH = 72;

/** `Bash: npm test`, `result of Bash: npm test`, `error of Read: notes.txt`. */
function nameOf(piece: Piece, calls: ReadonlyMap<string, CallPiece>): string {
  if (piece.kind === 'call') return callName(piece);
  if (piece.kind !== 'result') return '';
  const call = calls.get(piece.callId);
  return `${piece.isError ? 'error' : 'result'} of ${call ? callName(call) : 'a missing call'}`;
}

function callName({ tool, about }: CallPiece): string {
  const summary = oneLine(about);
  return summary === '' ? oneLine(tool) : cutTo(`${oneLine(tool)}: ${summary}`, MAX_NAME_LENGTH);
}

/** A handoff is a meta message for the model, which transcripts hide. This shows it. */
function handoffPieces(message: Message): Piece[] {
  if (message.type !== 'user') return transcriptPartsOf(message);
  const { isMeta: _hidden, ...shown } = message;
  return transcriptPartsOf(shown);
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
