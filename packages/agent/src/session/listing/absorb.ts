/** Reads whole lines of a session into the facts about it. Pure; only the few lines that tell something are parsed. */
import { textOf } from '@heddle/core';
import { type Bill, readBill } from '../bill.ts';
import { contentOf, isRecord, isText, type Line } from '../codec/shapes.ts';
import { type Blobs, restoreTexts } from '../files/blobs.ts';
import { kindOf, modelOf, parseLine, timeOf } from './lines.ts';
import type { Facts } from './summary.ts';

const NEW_LINE = 0x0a;
const PROMPT_LENGTH = 1_000;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** `bytes`: whole lines, the next ones of the file. */
export function absorb(facts: Facts, bytes: Buffer, sessionId: string, blobs?: Blobs): Facts {
  const next = { ...facts, readTo: facts.readTo + bytes.length };
  /** The last of their kind, looked at when all are known. */
  let said: Span | undefined;
  let answered: Span | undefined;
  let settled: Span | undefined;
  let spent: Span[] = [];
  for (let start = 0, end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, start)) {
    const span = { start, end };
    start = end + 1;
    switch (kindOf(bytes, span.start, end)) {
      case 'user':
        next.messages++;
        said = span;
        if (next.firstPrompt === null) Object.assign(next, beginningIn(parse(bytes, span), blobs));
        break;
      case 'assistant':
        next.messages++;
        said = answered = span;
        break;
      case 'custom-title':
        Object.assign(next, titleIn(parse(bytes, span), sessionId));
        break;
      case 'summary':
      case 'ai-title':
        Object.assign(next, foundIn(parse(bytes, span)));
        break;
      case 'answer':
      case 'spent':
        spent.push(span);
        break;
      case 'end':
      case 'boundary':
        settled = span;
        spent = [];
        break;
      default:
        break;
    }
  }
  if (said) next.lastAt = timeOf(bytes, said.start, said.end) ?? next.lastAt;
  if (answered) next.model = modelOf(bytes, answered.start, answered.end) ?? next.model;
  const known = settled && parse(bytes, settled)?.['spent'];
  if (isRecord(known)) Object.assign(next, costOf(readBill(known)));
  for (const span of spent) {
    const cost = parse(bytes, span)?.['costUsd'];
    if (typeof cost === 'number') next.costUsd = (next.costUsd ?? 0) + cost;
    else next.unpriced++;
  }
  return next;
}

function parse(bytes: Buffer, { start, end }: Span): Line | undefined {
  return parseLine(bytes, start, end);
}

/** The first prompt, and what its line says of where the session began. */
function beginningIn(line: Line | undefined, blobs: Blobs | undefined): Partial<Facts> {
  if (!line || line['isMeta'] === true) return {};
  const whole =
    blobs && line['storedApart'] === true ? restoreTexts(line['message'], blobs) : line['message'];
  const content = isRecord(whole) ? contentOf(whole['content']) : undefined;
  const prompt = content === undefined ? '' : textOf(content).trim();
  if (prompt === '') return {};
  const { sessionId, cwd, gitBranch, timestamp } = line;
  return {
    firstPrompt: prompt.slice(0, PROMPT_LENGTH),
    firstSessionId: isText(sessionId) ? sessionId : null,
    cwd: isText(cwd) ? cwd : null,
    gitBranch: isText(gitBranch) && gitBranch !== '' ? gitBranch : null,
    startedAt: (isText(timestamp) && Date.parse(timestamp)) || null,
  };
}

/** A fork begins with the lines of another session: its name says where the fork comes from. */
function titleIn(line: Line | undefined, sessionId: string): Partial<Facts> {
  const title = line?.['customTitle'];
  if (!isText(title)) return {};
  const name = title.trim() === '' ? null : title;
  const from = line?.['sessionId'];
  return isText(from) && from !== sessionId ? { inheritedTitle: name } : { ownTitle: name };
}

function foundIn(line: Line | undefined): Partial<Facts> {
  // Ours are about the calls of a turn.
  if (!line || 'toolUseIds' in line) return {};
  const title = line['aiTitle'] ?? line['summary'];
  return isText(title) && title.trim() !== '' ? { foundTitle: title } : {};
}

function costOf(bill: Bill): Pick<Facts, 'costUsd' | 'unpriced'> {
  const unpriced = [...bill].filter(([, { known }]) => !known).length;
  return { costUsd: bill.costUsd, unpriced };
}
