/** `heddle sessions list`: a table that fits the terminal, or JSON. */
import { listSessions, type SessionSummary } from '@heddle/agent/sessions';
import { jsonText } from '../terminal/escape-controls.ts';
import { writeMessage } from '../terminal/write-message.ts';
import { place } from './pick.ts';
import { cutTo, fill, oneLine, widthOf } from '../terminal/width.ts';
import { agoText, sizeText } from './text/units.ts';
import type { SessionsCommand } from './parse-command.ts';

/** One or two screens. A user who wants more sets --limit. */
const DEFAULT_LIMIT = 50;
/** The width if the width of the terminal is unknown. */
const DEFAULT_WIDTH = 100;

export function listCommand({ all, limit, json }: Extract<SessionsCommand, { name: 'list' }>): number {
  const { cwd, ...roots } = place();
  const sessions = listSessions({ ...roots, cwd: all ? undefined : cwd });
  const shown = sessions.slice(0, limit === 0 ? undefined : (limit ?? (json ? undefined : DEFAULT_LIMIT)));
  if (json) {
    writeMessage(`${jsonText(shown.map(asJson), 2)}\n`);
    return 0;
  }
  if (sessions.length === 0) {
    writeMessage(
      all
        ? 'There are no sessions.\n'
        : 'There are no sessions of this folder. To list all sessions, use: heddle sessions --all\n',
    );
    return 0;
  }
  const width = process.stdout.columns ?? (Number(process.env['COLUMNS']) || DEFAULT_WIDTH);
  writeMessage(table(shown, { width, now: Date.now(), all }));
  const left = sessions.length - shown.length;
  if (left > 0)
    writeMessage(`${left} more. To list all, use: heddle sessions list ${all ? '--all ' : ''}--limit 0\n`);
  return 0;
}

/** Converts a summary for JSON output: times are ISO texts, and unknown values are null. */
export function asJson(session: SessionSummary): object {
  const { startedAt, lastAt, cwd, gitBranch, model, costUsd, ...rest } = session;
  return {
    ...rest,
    cwd: cwd ?? null,
    gitBranch: gitBranch ?? null,
    model: model ?? null,
    costUsd: costUsd ?? null,
    startedAt: startedAt === undefined ? null : new Date(startedAt).toISOString(),
    lastAt: new Date(lastAt).toISOString(),
  };
}

interface Frame {
  readonly width: number;
  readonly now: number;
  readonly all: boolean;
}

const ID_LENGTH = 8;
const GAP = '  ';
/** A shorter title is useless. If the terminal is too narrow, the row is wider than the terminal. */
const MIN_TITLE_WIDTH = 16;

export function table(sessions: readonly SessionSummary[], { width, now, all }: Frame): string {
  const shortId = shortener(sessions);
  const rows = sessions.map((session) => [
    agoText(session.lastAt, now),
    oneLine(session.title),
    String(session.messages),
    sizeText(session.bytes),
    shortId(session.id),
    ...(all ? [oneLine(session.cwd ?? '')] : []),
  ]);
  const head = ['when', 'title', 'messages', 'size', 'id', ...(all ? ['folder'] : [])];
  const widths = head.map((word, column) =>
    Math.max(widthOf(word), ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const others = widths.reduce((sum, each, column) => (column === TITLE ? sum : sum + each), 0);
  const available = Math.max(MIN_TITLE_WIDTH, width - others - GAP.length * (head.length - 1));
  widths[TITLE] = Math.min(widths[TITLE] ?? 0, available);
  return [head, ...rows]
    .map(
      (row) =>
        `${row
          .map((cell, column) => cellOf(cell, column, widths))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('');
}

const TITLE = 1;
const NUMBERS: ReadonlySet<number> = new Set([2, 3]);

function cellOf(cell: string, column: number, widths: readonly number[]): string {
  const width = widths[column] ?? 0;
  return fill(cutTo(cell, width), width, NUMBERS.has(column) ? 'left' : 'right');
}

/** Returns a function that shortens an id, unless two sessions of the list would get the same short id. */
function shortener(sessions: readonly SessionSummary[]): (id: string) => string {
  const taken = Map.groupBy(sessions, ({ id }) => id.slice(0, ID_LENGTH));
  return (id) => {
    const short = id.slice(0, ID_LENGTH);
    return (taken.get(short)?.length ?? 0) > 1 ? id : short;
  };
}
