/** Extracts facts from whole lines of a session. Pure. Only the few relevant lines are parsed. */
import { isRecord, textOf } from '@heddle/core';
import { readStoredCosts, type StoredCosts } from '../../cost/stored-costs.ts';
import { parseLine } from '../codec/decode.ts';
import { contentOf, isStringValue, type LogLine } from '../codec/shapes.ts';
import { type Blobs, createBlobs, restoreTexts } from '../files/blobs.ts';
import { LineFile, wholeLength } from '../files/lines.ts';
import { blobsBeside, type SessionFile } from '../files/session-files.ts';
import { type Facts, NO_FACTS } from './summary.ts';

const NEW_LINE = 0x0a;
const PROMPT_LENGTH = 1_000;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** `bytes` are the next whole lines of the file. */
function updateFacts(facts: Facts, bytes: Buffer, sessionId: string, blobs?: Blobs): Facts {
  const next = { ...facts, readTo: facts.readTo + bytes.length };
  /** The last line of each kind, parsed at the end. */
  let lastMessage: Span | undefined;
  let answered: Span | undefined;
  let settled: Span | undefined;
  let spent: Span[] = [];
  for (let start = 0, end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, start)) {
    const span = { start, end };
    start = end + 1;
    switch (entryKindOf(bytes, span.start, end)) {
      case 'user':
        next.messages++;
        lastMessage = span;
        if (next.firstPrompt === null) Object.assign(next, beginningIn(parse(bytes, span), blobs));
        break;
      case 'assistant':
        next.messages++;
        lastMessage = answered = span;
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
  if (lastMessage) next.lastAt = entryTimeOf(bytes, lastMessage.start, lastMessage.end) ?? next.lastAt;
  if (answered) next.model = modelOf(bytes, answered.start, answered.end) ?? next.model;
  const known = settled && parse(bytes, settled)?.['spent'];
  if (isRecord(known)) Object.assign(next, costOf(readStoredCosts(known)));
  for (const span of spent) {
    const cost = parse(bytes, span)?.['costUsd'];
    if (typeof cost === 'number') next.costUsd = (next.costUsd ?? 0) + cost;
    else next.unpriced++;
  }
  return next;
}

function parse(bytes: Buffer, { start, end }: Span): LogLine | undefined {
  return parseLogLine(bytes, start, end);
}

/** Reads the first prompt, and the origin of the session from its line. */
function beginningIn(line: LogLine | undefined, blobs: Blobs | undefined): Partial<Facts> {
  if (!line || line['isMeta'] === true) return {};
  const whole =
    blobs && line['storedApart'] === true ? restoreTexts(line['message'], blobs) : line['message'];
  const content = isRecord(whole) ? contentOf(whole['content']) : undefined;
  const prompt = content === undefined ? '' : textOf(content).trim();
  if (prompt === '') return {};
  const { sessionId, teamName, entrypoint, cwd, gitBranch, timestamp } = line;
  return {
    firstPrompt: prompt.slice(0, PROMPT_LENGTH),
    firstSessionId: isStringValue(sessionId) ? sessionId : null,
    teamName: isStringValue(teamName) ? teamName : null,
    entrypoint: isStringValue(entrypoint) ? entrypoint : null,
    cwd: isStringValue(cwd) ? cwd : null,
    gitBranch: isStringValue(gitBranch) && gitBranch !== '' ? gitBranch : null,
    startedAt: (isStringValue(timestamp) && Date.parse(timestamp)) || null,
  };
}

/** A fork begins with the lines of another session. The title there is that of the original session. */
function titleIn(line: LogLine | undefined, sessionId: string): Partial<Facts> {
  const title = line?.['customTitle'];
  if (!isStringValue(title)) return {};
  const name = title.trim() === '' ? null : title;
  const from = line?.['sessionId'];
  return isStringValue(from) && from !== sessionId ? { inheritedTitle: name } : { ownTitle: name };
}

function foundIn(line: LogLine | undefined): Partial<Facts> {
  // Heddle's own summaries are about the calls of a turn.
  if (!line || 'toolUseIds' in line) return {};
  const title = line['aiTitle'] ?? line['summary'];
  return isStringValue(title) && title.trim() !== '' ? { foundTitle: title } : {};
}

function costOf(bill: StoredCosts): Pick<Facts, 'costUsd' | 'unpriced'> {
  const unpriced = [...bill].filter(([, { known }]) => !known).length;
  return { costUsd: bill.costUsd, unpriced };
}

/** Enough bytes for the fields before a message's content. */
const HEAD = 1_500;

function headOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, Math.min(end, start + HEAD));
}

/**
 * Returns the type of a line. Undefined for bookkeeping without facts for a list, and for lines of another
 * conversation.
 */
function entryKindOf(bytes: Buffer, start: number, end: number): string | undefined {
  if (!beginsWithType(bytes, start)) return foreignKindOf(bytes, start, end);
  // Most lines end here: one byte is checked, and nothing is decoded.
  if (!TELLING.has(bytes[start + TYPE.length] ?? 0)) return undefined;
  const beginning = bytes.toString('latin1', start + TYPE.length, Math.min(end, start + BEGINNING));
  return beginning.includes(SIDECHAIN) ? undefined : beginning.slice(0, beginning.indexOf('"'));
}

const TYPE = '{"type":"';

function beginsWithType(bytes: Buffer, start: number): boolean {
  for (let at = 0; at < TYPE.length; at++) if (bytes[start + at] !== TYPE.charCodeAt(at)) return false;
  return true;
}

/** First letters: user, assistant, answer, ai-title, spent, summary, end, boundary, custom-title. */
const TELLING: ReadonlySet<number> = new Set(Buffer.from('uasebc'));

/** Heddle's own lines name their conversation within this number of bytes. */
const BEGINNING = 180;
/** Lines of a subagent may be in the same file. */
const SIDECHAIN = '"isSidechain":true';

function foreignKindOf(bytes: Buffer, start: number, end: number): string | undefined {
  const [before = '', type] = THEIRS.exec(headOf(bytes, start, end)) ?? [];
  if (type !== undefined) return before.includes(SIDECHAIN) ? undefined : type;
  const line = parseLogLine(bytes, start, end);
  return line && line['isSidechain'] !== true && isStringValue(line['type']) ? line['type'] : undefined;
}

/**
 * Another tool begins its lines with the parent. There is no brace in between, because nested objects have other types.
 */
const THEIRS = /^\{"parentUuid":[^{]*?"type":"([a-z_-]+)"/;

function parseLogLine(bytes: Buffer, start: number, end: number): LogLine | undefined {
  return parseLine(bytes.toString('utf8', start, end));
}

/** Returns the time of a line, from its head or after the content. */
function entryTimeOf(bytes: Buffer, start: number, end: number): number | undefined {
  const near = TIME.exec(headOf(bytes, start, end))?.[1];
  const time = near ?? parseLogLine(bytes, start, end)?.['timestamp'];
  return (isStringValue(time) && Date.parse(time)) || undefined;
}

const TIME = /"timestamp":"([0-9T:.Z+-]+)"/;

/** Returns the model of a response. */
function modelOf(bytes: Buffer, start: number, end: number): string | undefined {
  const model = MODEL.exec(headOf(bytes, start, end))?.[1];
  // An error message has no model.
  return model === undefined || model === '' || model.startsWith('<') ? undefined : model;
}

const MODEL = /"message":\{[^{}[]*?"model":"([^"\\]*)"/;

/** Larger chunks need more memory and more time. */
const CHUNK = 2 * 1024 * 1024;
const SEAM = 48;

/** Returns undefined if the file cannot be read. */
export function readFacts({ path, id }: SessionFile, earlier?: Facts): Facts | undefined {
  try {
    const file = new LineFile(path);
    try {
      const known = earlier && onlyGrew(file, earlier) ? earlier : NO_FACTS;
      const blobs = createBlobs(blobsBeside(path), false);
      return readOn(file, known, (facts, bytes) => updateFacts(facts, bytes, id, blobs));
    } finally {
      file.close();
    }
  } catch {
    return undefined;
  }
}

function readOn(file: LineFile, known: Facts, take: (facts: Facts, bytes: Buffer) => Facts): Facts {
  let facts = known;
  const memory = Buffer.allocUnsafe(Math.min(CHUNK, file.size));
  for (let size = CHUNK; facts.readTo < file.size; ) {
    const end = Math.min(file.size, facts.readTo + size);
    const bytes = file.read(facts.readTo, end, memory);
    const whole = wholeLength(bytes);
    if (whole > 0) facts = take(facts, bytes.subarray(0, whole));
    // The rest is a line that is still being written, or one that is longer than the bytes read.
    else if (end === file.size || bytes.length === 0) break;
    else size *= 2;
  }
  return { ...facts, seam: seamOf(file, facts.readTo) };
}

function onlyGrew(file: LineFile, { readTo, seam }: Facts): boolean {
  return readTo <= file.size && seamOf(file, readTo) === seam;
}

function seamOf(file: LineFile, readTo: number): string {
  return file.read(Math.max(0, readTo - SEAM), readTo).toString('base64');
}
