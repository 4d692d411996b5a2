/** `heddle sessions show`: prints the facts of a session and its conversation as text. */
import {
  type Piece,
  readTranscript,
  renameSession,
  type SessionSummary,
  type TranscriptItem,
} from '@heddle/agent/sessions';
import { escapeControls, jsonText } from '../terminal/escape-controls.ts';
import { fail, writeMessage } from '../terminal/write-message.ts';
import { asJson } from './list.ts';
import type { SessionsCommand } from './parse-command.ts';
import { ownPlace, pick } from './pick.ts';
import { oneLine } from '../terminal/width.ts';
import { speakerText } from './text/speakers.ts';
import { minuteText, sizeText } from './text/units.ts';

/** The output of a tool is cut to this size. `--full` shows all of it. */
const RESULT_LINES = 12;
const RESULT_LINE_LENGTH = 400;

export function show({ session: word, full, json }: Extract<SessionsCommand, { name: 'show' }>): number {
  const picked = pick(word);
  if (!picked.ok) return fail(picked.message);
  const { session } = picked;
  const { items, damagedLines } = readTranscript(session.path);
  if (json) {
    writeMessage(`${jsonText({ ...asJson(session), conversation: items }, 2)}\n`);
    return 0;
  }
  writeMessage(
    `${[...facts(session), ['file', session.path] as const]
      .map(([what, value]) => `${what.padEnd(9)} ${oneLine(value)}\n`)
      .join('')}\n`,
  );
  for (const part of conversation(items, full)) writeMessage(escapeControls(part));
  const unread = damagedLines === 1 ? '1 line' : `${damagedLines} lines`;
  if (damagedLines > 0) writeMessage(`\n(${unread} of the session could not be read)\n`);
  return 0;
}

export function facts(session: SessionSummary): (readonly [what: string, value: string])[] {
  const { costUsd, startedAt, lastAt } = session;
  const known: (readonly [string, string | undefined])[] = [
    ['title', session.title],
    ['id', session.id],
    ['folder', session.cwd],
    ['branch', session.gitBranch],
    ['model', session.model],
    ['messages', String(session.messages)],
    ['size', sizeText(session.bytes)],
    ['cost', costUsd === undefined ? undefined : `$${costUsd.toFixed(4)}`],
    ['started', startedAt === undefined ? undefined : minuteText(startedAt)],
    ['last', minuteText(lastAt)],
  ];
  return known.flatMap(([what, value]) => (value === undefined ? [] : [[what, value] as const]));
}

function* conversation(items: readonly TranscriptItem[], full: boolean): Generator<string> {
  for (const next of speakerText(items)) {
    if (next.kind === 'speaker')
      yield `\n=== ${next.who}, ${minuteText(next.at)}${full ? `, ${oneLine(next.id)}` : ''}\n`;
    else if (next.kind === 'compaction') {
      yield `\n--- compacted here, ${minuteText(next.at)}: after this point the model saw a summary of the text above${full ? ':' : ' (--full shows it)'}\n`;
      if (full) for (const piece of next.handoff) yield `\n${indented(piece.text, full)}\n`;
    } else yield `\n${pieceText(next.piece, next.name, full)}\n`;
  }
}

function pieceText(piece: Piece, name: string, full: boolean): string {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'note':
    case 'media':
      return `(${piece.text})`;
    case 'thinking':
      return indented(`(thinking) ${piece.text}`, full);
    case 'call':
      return indented(`> ${oneLine(piece.tool)}\n${piece.text}`, full);
    case 'result':
      return indented(`< ${name}\n${piece.text}`, full);
  }
}

function indented(text: string, full: boolean): string {
  const lines = text.trimEnd().split('\n');
  const shown = full ? lines : lines.slice(0, RESULT_LINES).map(cutLine);
  const left = lines.length - shown.length;
  const rest = left > 0 ? [`… ${left} more lines; --full shows them`] : [];
  return [...shown, ...rest].map((line) => `    ${line}`).join('\n');
}

/** Cuts a long line, such as a list in one line of JSON. */
function cutLine(line: string): string {
  const left = line.length - RESULT_LINE_LENGTH;
  return left > 0
    ? `${line.slice(0, RESULT_LINE_LENGTH).toWellFormed()} … ${left} more characters; --full shows them`
    : line;
}

export function renameCommand({
  session: word,
  title,
  json,
}: Extract<SessionsCommand, { name: 'rename' }>): number {
  const picked = pick(word, ownPlace());
  if (!picked.ok) return fail(picked.message);
  const { path, id } = picked.session;
  const renamed = renameSession(path, title);
  if (!renamed.ok) return fail(renamed.message);
  if (json) writeMessage(`${jsonText({ id, path, title })}\n`);
  else writeMessage(title === '' ? `${id} has no name now\n` : `${id} is called: ${oneLine(title)}\n`);
  return 0;
}
