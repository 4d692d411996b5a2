/** Streams one content block: start, deltas, stop. */
import type { BlockDelta, ContentBlock } from '@heddle/core';
import type { Act } from './act.ts';
import { foreign } from './foreign.ts';
import { type BlockPart, isGate, type ScriptPiece } from './part.ts';

export interface BlockActs {
  readonly acts: readonly Act[];
  /** For the computed usage. */
  readonly characters: number;
}

export function blockActs(part: BlockPart, index: number, sign: (thinking: string) => string): BlockActs {
  const acts: Act[] = [
    { act: 'event', event: { type: 'content_block_start', index, content_block: opening(part) } },
  ];
  const delta = (delta: BlockDelta) =>
    acts.push({ act: 'event', event: { type: 'content_block_delta', index, delta } });

  const pieces = 'pieces' in part ? part.pieces : [];
  const { kept, characters } = firstShare(pieces, part.unfinished ?? 1);
  if (part.part === 'tool_use') delta({ type: 'input_json_delta', partial_json: '' });
  for (const piece of kept) {
    if (typeof piece === 'string') delta(deltaOf(part, piece));
    else if (isGate(piece)) acts.push({ act: 'gate', gate: piece });
    else acts.push({ act: 'wait', ms: piece.ms });
  }
  if (part.unfinished !== undefined) return { acts, characters };

  if (part.part === 'thinking') {
    delta({ type: 'signature_delta', signature: part.signature ?? sign(wholeOf(pieces)) });
  }
  acts.push({ act: 'event', event: { type: 'content_block_stop', index } });
  return { acts, characters };
}

function opening(part: BlockPart): ContentBlock {
  switch (part.part) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: part.data };
    case 'tool_use':
      return { type: 'tool_use', id: part.id, name: part.name, input: {} };
    case 'foreign_block':
      return foreign(part.block);
  }
}

function deltaOf(part: BlockPart, piece: string): BlockDelta {
  if (part.part === 'tool_use') return { type: 'input_json_delta', partial_json: piece };
  return part.part === 'thinking'
    ? { type: 'thinking_delta', thinking: piece }
    : { type: 'text_delta', text: piece };
}

function wholeOf(pieces: readonly ScriptPiece[]): string {
  return pieces.filter((piece) => typeof piece === 'string').join('');
}

function firstShare(
  pieces: readonly ScriptPiece[],
  share: number,
): { kept: ScriptPiece[]; characters: number } {
  const total = Math.floor(wholeOf(pieces).length * share);
  const kept: ScriptPiece[] = [];
  let characters = 0;
  for (const piece of pieces) {
    if (typeof piece !== 'string') {
      kept.push(piece);
      continue;
    }
    const text = piece.slice(0, total - characters);
    if (text !== '') kept.push(text);
    characters += text.length;
  }
  return { kept, characters };
}
