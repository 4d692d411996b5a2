/** What a line is, by its first bytes: most lines are never parsed. */
import { isRecord, isText, type Line } from '../codec/shapes.ts';

/** Enough for what stands before a message's content. */
const HEAD = 1_500;

function headOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, Math.min(end, start + HEAD));
}

/** The line's type; undefined for bookkeeping that tells a list nothing, and for lines of another conversation. */
export function kindOf(bytes: Buffer, start: number, end: number): string | undefined {
  if (!beginsWithType(bytes, start)) return foreignKindOf(bytes, start, end);
  // Most lines stop here: one byte is looked at, and no text is made.
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

/** Up to where our own lines say whose conversation they belong to. */
const BEGINNING = 180;
/** A subagent's lines may stand in the same file. */
const SIDECHAIN = '"isSidechain":true';

function foreignKindOf(bytes: Buffer, start: number, end: number): string | undefined {
  const [before = '', type] = THEIRS.exec(headOf(bytes, start, end)) ?? [];
  if (type !== undefined) return before.includes(SIDECHAIN) ? undefined : type;
  const line = parseLine(bytes, start, end);
  return line && line['isSidechain'] !== true && isText(line['type']) ? line['type'] : undefined;
}

/** Another tool begins its lines with the parent. No brace in between: what lies deeper has types of its own. */
const THEIRS = /^\{"parentUuid":[^{]*?"type":"([a-z_-]+)"/;

export function parseLine(bytes: Buffer, start: number, end: number): Line | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** When a line was written. Its head has it, or it stands behind the content. */
export function timeOf(bytes: Buffer, start: number, end: number): number | undefined {
  const near = TIME.exec(headOf(bytes, start, end))?.[1];
  const time = near ?? parseLine(bytes, start, end)?.['timestamp'];
  return (isText(time) && Date.parse(time)) || undefined;
}

const TIME = /"timestamp":"([0-9T:.Z+-]+)"/;

/** Which model said this. */
export function modelOf(bytes: Buffer, start: number, end: number): string | undefined {
  const model = MODEL.exec(headOf(bytes, start, end))?.[1];
  // What tells of an error was said by no model.
  return model === undefined || model === '' || model.startsWith('<') ? undefined : model;
}

const MODEL = /"message":\{[^{}[]*?"model":"([^"\\]*)"/;
