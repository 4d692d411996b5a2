/** A transcript in the order in which it is read: who speaks, what is said, and whose result a result is. Pure. */
import { type CallPiece, type Piece, transcriptPartsOf, type TranscriptItem } from '@heddle/agent/sessions';
import type { Message } from '@heddle/core';
import { cutTo, oneLine } from './columns.ts';

export type SpeakerText =
  /** `id`: of the first message that is told of him. */
  | { readonly kind: 'speaker'; readonly who: Speaker; readonly at: number; readonly id: string }
  | { readonly kind: 'compaction'; readonly at: number; readonly handOver: readonly Piece[] }
  | { readonly kind: 'piece'; readonly piece: Piece /** Of a call or a result. */; readonly name: string };

type Speaker = 'user' | 'assistant' | 'system';

export function* speakerText(items: readonly TranscriptItem[]): Generator<SpeakerText> {
  const calls = new Map<string, CallPiece>();
  let speaker = '';
  for (const item of items) {
    if (item.kind === 'compaction') {
      yield { kind: 'compaction', at: item.at, handOver: item.handOver.flatMap(handOverPieces) };
      speaker = '';
      continue;
    }
    for (const piece of transcriptPartsOf(item.message)) {
      if (piece.kind === 'call') calls.set(piece.id, piece);
      // What tools say belongs to the assistant who called them.
      const who = piece.role === 'tool' ? 'assistant' : piece.role;
      if (who !== speaker) yield { kind: 'speaker', who, at: item.message.at, id: item.message.uuid };
      speaker = who;
      yield { kind: 'piece', piece, name: nameOf(piece, calls) };
    }
  }
}

const LONGEST_NAME = 72;

/** `Bash: npm test`, `result of Bash: npm test`, `error of Read: notes.txt`. */
function nameOf(piece: Piece, calls: ReadonlyMap<string, CallPiece>): string {
  if (piece.kind === 'call') return callName(piece);
  if (piece.kind !== 'result') return '';
  const call = calls.get(piece.callId);
  return `${piece.isError ? 'error' : 'result'} of ${call ? callName(call) : 'a call that is not here'}`;
}

function callName({ tool, about }: CallPiece): string {
  const glance = oneLine(about);
  return glance === '' ? oneLine(tool) : cutTo(`${oneLine(tool)}: ${glance}`, LONGEST_NAME);
}

/** A hand-over is written for the model: what it says is hidden from people elsewhere. */
function handOverPieces(message: Message): Piece[] {
  if (message.type !== 'user') return transcriptPartsOf(message);
  const { isMeta: _hidden, ...shown } = message;
  return transcriptPartsOf(shown);
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
