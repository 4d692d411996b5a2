/** The end of a conversation that is taken up again: enough to remember where it was. */
import { isInterruption, type Message, textOf } from '@heddle/core';
import { promptOf } from '../prompts/prompt-of.ts';
import { harmless } from '../../terminal/harmless.ts';
import type { Style } from '../style.ts';
import { counted } from './amounts.ts';

/** Lines of the last prompt and of the last answer. */
const PROMPT_LINES = 4;
const ANSWER_LINES = 12;

export function tailLines(
  messages: readonly Message[],
  openCalls: number,
  { paint, signs }: Style,
): string[] {
  const prompt = messages.findLast((message) => promptOf(message) !== undefined);
  const interrupted = wasInterrupted(messages);
  const answer = messages.findLast((message) => saidIn(message) !== '');
  const lines = [paint('dim', `  (${counted(messages.length, 'message')} so far)`)];
  if (prompt) lines.push(...cut(`> ${promptOf(prompt) ?? ''}`, PROMPT_LINES, signs.more));
  if (answer && (!prompt || messages.indexOf(answer) > messages.indexOf(prompt)))
    lines.push(...cut(answerWith(answer, messages), ANSWER_LINES, signs.more));
  else if (prompt && !interrupted) lines.push(paint('yellow', '  (this was not answered)'));
  if (interrupted) lines.push(paint('yellow', '  (interrupted)'));
  if (openCalls > 0)
    lines.push(
      paint(
        'yellow',
        `  (${counted(openCalls, 'call')} had not come to an end; settled with the next prompt)`,
      ),
    );
  return lines;
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

function cut(text: string, most: number, more: string): string[] {
  const lines = harmless(text).split('\n');
  return lines.length <= most
    ? lines
    : [...lines.slice(0, most), `${more} ${counted(lines.length - most, 'more line')}`];
}
