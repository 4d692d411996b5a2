/** Formats an opened session: notes about it, and the end of its conversation. */
import { isInterruption, type Message, textOf } from '@heddle/core';
import type { AgentSetup } from '../../start/agent-options.ts';
import { describeLoaded } from '../../start/loaded-extensions.ts';
import type { StartedSession } from '../../start/start-agent.ts';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { promptFromText } from '../../sessions/text/prompt-text.ts';
import { pluralize } from '../../terminal/amounts.ts';
import { callLine, nearPath } from '../../terminal/call-line.ts';
import type { OutputPart } from '../../terminal/screen.ts';
import type { Style } from '../../terminal/style.ts';

export function sessionStart(
  started: StartedSession,
  { cwd, sandboxSettings }: Pick<AgentSetup, 'cwd' | 'sandboxSettings'>,
  style: Style,
): OutputPart[] {
  const { agent, session, notices, instructions, hooks, mcp } = started;
  const messages = [...agent.messages];
  const files = instructions.applied.map(({ file }) => nearPath(file, cwd));
  const inForce = [
    ...(files.length > 0 ? [`instructions: ${files.join(', ')}`] : []),
    ...describeLoaded(started, hooks.list(), mcp?.view.all ?? []),
    ...(sandboxSettings?.enabled ? ['sandbox on'] : []),
  ];
  const cutOff = session.wasCutOff
    ? ['the last prompt was cut off; /continue continues where it stopped']
    : [];
  const notes = [...(inForce.length > 0 ? [inForce.join('; ')] : []), ...notices, ...cutOff];
  return [
    ...notes.map(
      (note): OutputPart => ({ kind: 'line', text: style.paint('dim', `  (${escapeControls(note)})`) }),
    ),
    ...(messages.length > 0 ? tailPieces(messages, session.projection.openCalls.length, style, cwd) : []),
  ];
}

/** The number of lines of a prompt and of the last answer that are shown. */
const PROMPT_LINES = 4;
const ANSWER_LINES = 12;

/** Earlier prompts that are shown in brief, with their calls and the beginnings of their answers. */
const EARLIER_PROMPTS = 5;
const EARLIER_ANSWER_LINES = 4;
const CALLS = 6;

export function tailPieces(
  messages: readonly Message[],
  openCalls: number,
  style: Style,
  cwd = '',
): OutputPart[] {
  const { paint, signs } = style;
  const prompt = messages.findLast((message) => promptFromText(message) !== undefined);
  const interrupted = wasInterrupted(messages);
  const answer = messages.findLast((message) => textIn(message) !== '');
  const pieces = [line(paint('dim', `  (${pluralize(messages.length, 'message')} so far)`))];
  const lastStart = prompt ? messages.indexOf(prompt) : messages.length;
  pieces.push(...earlierPieces(messages.slice(0, lastStart), style, cwd));
  if (prompt) {
    pieces.push(line(beginning(`> ${promptFromText(prompt) ?? ''}`, signs.more)));
    pieces.push(...callPieces(messages.slice(lastStart), style, cwd));
  }
  if (answer && (!prompt || messages.indexOf(answer) > messages.indexOf(prompt))) {
    const { left, text } = endOf(answerWith(answer, messages));
    if (left > 0) pieces.push(line(paint('dim', `  (${signs.more} ${pluralize(left, 'line')} before)`)));
    pieces.push({ kind: 'stream', text: escapeControls(text) }, { kind: 'end of stream' });
  } else if (prompt && !interrupted) pieces.push(line(paint('yellow', '  (this was not answered)')));
  if (interrupted) pieces.push(line(paint('yellow', '  (interrupted)')));
  if (openCalls > 0) {
    const calls = pluralize(openCalls, 'call');
    pieces.push(line(paint('yellow', `  (${calls} did not end; resumed with the next prompt)`)));
  }
  return pieces;
}

/** The last exchanges before the latest one. */
function earlierPieces(messages: readonly Message[], style: Style, cwd: string): OutputPart[] {
  const starts = messages.flatMap((message, at) => (promptFromText(message) === undefined ? [] : [at]));
  const pieces: OutputPart[] = [];
  for (const start of starts.slice(-EARLIER_PROMPTS)) {
    const end = starts.find((other) => other > start) ?? messages.length;
    const [prompt, ...rest] = messages.slice(start, end);
    const text = rest.map(textIn).filter(Boolean).join('\n\n');
    pieces.push(line(beginning(`> ${(prompt && promptFromText(prompt)) ?? ''}`, style.signs.more)));
    pieces.push(...callPieces(rest, style, cwd));
    const answer = beginning(text, style.signs.more, EARLIER_ANSWER_LINES);
    if (text !== '') pieces.push({ kind: 'stream', text: answer }, { kind: 'end of stream' });
    if (wasInterrupted(rest)) pieces.push(line(style.paint('yellow', '  (interrupted)')));
  }
  return pieces;
}

function callPieces(messages: readonly Message[], { paint, signs }: Style, cwd: string): OutputPart[] {
  const calls = messages.flatMap((message) =>
    message.type === 'assistant' ? message.content.filter((block) => block.type === 'tool_use') : [],
  );
  const left = calls.length - CALLS;
  const lines = calls.slice(0, CALLS).map(({ name, input }) => callLine(name, input, cwd));
  if (left > 0) lines.push(`${signs.more} ${pluralize(left, 'more call')}`);
  return lines.map((text) => line(paint('dim', `  ${escapeControls(text)}`)));
}

function line(text: string): OutputPart {
  return { kind: 'line', text };
}

/** Notes and reminders may follow the interruption. */
function wasInterrupted(messages: readonly Message[]): boolean {
  const last = messages.findLast(({ type }) => type === 'user' || type === 'assistant');
  return last?.type === 'user' && isInterruption(textOf(last.content));
}

/** Returns the whole text of the answer that contains this block. */
function answerWith(block: Message, messages: readonly Message[]): string {
  if (block.type !== 'assistant') return '';
  const { responseId } = block;
  const blocks = messages.filter((other) => other.type === 'assistant' && other.responseId === responseId);
  return blocks.map(textIn).filter(Boolean).join('\n');
}

function textIn(message: Message): string {
  return message.type === 'assistant' ? textOf(message.content).trim() : '';
}

function beginning(text: string, more: string, most = PROMPT_LINES): string {
  const lines = escapeControls(text).split('\n');
  const left = lines.length - most;
  if (left <= 0) return lines.join('\n');
  return [...lines.slice(0, most), `${more} ${pluralize(left, 'more line')}`].join('\n');
}

/** Returns the last lines. If a code block is cut, its fence is added, so that the rest is still shown as code. */
function endOf(text: string): { readonly left: number; readonly text: string } {
  const lines = text.split('\n');
  const left = Math.max(0, lines.length - ANSWER_LINES);
  const fences = lines.slice(0, left).filter((line) => /^\s*(```|~~~)/.test(line));
  const open = fences.length % 2 === 1 ? fences.slice(-1) : [];
  return { left, text: [...open, ...lines.slice(left)].join('\n') };
}
