/** The end of a conversation that is taken up again: enough to remember where it was. */
import { isInterruption, type Message, textOf } from '@heddle/core';
import { promptOf } from '../prompts/prompt-of.ts';
import { harmless } from '../../terminal/harmless.ts';
import type { Style } from '../style.ts';
import { counted } from './amounts.ts';
import type { Piece } from './piece.ts';

/** Lines of the last prompt and of the last answer. */
const PROMPT_LINES = 4;
const ANSWER_LINES = 12;

export function tailPieces(
  messages: readonly Message[],
  openCalls: number,
  { paint, signs }: Style,
): Piece[] {
  const prompt = messages.findLast((message) => promptOf(message) !== undefined);
  const interrupted = wasInterrupted(messages);
  const answer = messages.findLast((message) => saidIn(message) !== '');
  const pieces = [line(paint('dim', `  (${counted(messages.length, 'message')} so far)`))];
  if (prompt) pieces.push(line(beginning(`> ${promptOf(prompt) ?? ''}`, signs.more)));
  if (answer && (!prompt || messages.indexOf(answer) > messages.indexOf(prompt))) {
    const { left, text } = endOf(answerWith(answer, messages));
    if (left > 0) pieces.push(line(paint('dim', `  (${signs.more} ${counted(left, 'line')} before)`)));
    pieces.push({ kind: 'stream', text: harmless(text) }, { kind: 'end of stream' });
  } else if (prompt && !interrupted) pieces.push(line(paint('yellow', '  (this was not answered)')));
  if (interrupted) pieces.push(line(paint('yellow', '  (interrupted)')));
  if (openCalls > 0) {
    const calls = counted(openCalls, 'call');
    pieces.push(line(paint('yellow', `  (${calls} had not come to an end; settled with the next prompt)`)));
  }
  return pieces;
}

function line(text: string): Piece {
  return { kind: 'line', text };
}

/** Notes and reminders may stand behind it. */
function wasInterrupted(messages: readonly Message[]): boolean {
  const last = messages.findLast(({ type }) => type === 'user' || type === 'assistant');
  return last?.type === 'user' && isInterruption(textOf(last.content));
}

/** All that was said in the answer that this block belongs to. */
function answerWith(block: Message, messages: readonly Message[]): string {
  if (block.type !== 'assistant') return '';
  const { responseId } = block;
  const blocks = messages.filter((other) => other.type === 'assistant' && other.responseId === responseId);
  return blocks.map(saidIn).filter(Boolean).join('\n');
}

function saidIn(message: Message): string {
  return message.type === 'assistant' ? textOf(message.content).trim() : '';
}

function beginning(text: string, more: string): string {
  const lines = harmless(text).split('\n');
  const left = lines.length - PROMPT_LINES;
  if (left <= 0) return lines.join('\n');
  return [...lines.slice(0, PROMPT_LINES), `${more} ${counted(left, 'more line')}`].join('\n');
}

/** Its conclusion is what one wants to see again. Code whose beginning is left out is still shown as code. */
function endOf(text: string): { readonly left: number; readonly text: string } {
  const lines = text.split('\n');
  const left = Math.max(0, lines.length - ANSWER_LINES);
  const fences = lines.slice(0, left).filter((line) => /^\s*(```|~~~)/.test(line));
  const open = fences.length % 2 === 1 ? fences.slice(-1) : [];
  return { left, text: [...open, ...lines.slice(left)].join('\n') };
}
