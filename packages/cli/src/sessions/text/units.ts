/** Parses and formats times and sizes. Pure. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const DURATIONS: Readonly<Record<string, number>> = {
  s: SECOND,
  m: MINUTE,
  h: HOUR,
  d: DAY,
  w: 7 * DAY,
  y: 365 * DAY,
};

/** `30d`, `12h`, `2w`; undefined for anything else. */
export function durationOf(text: string): number | undefined {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([smhdwy])$/.exec(text.trim().toLowerCase()) ?? [];
  const size = DURATIONS[unit];
  return size === undefined ? undefined : Number(amount) * size;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** `500MB`, `1.5 G`, `2048`; undefined for anything else. */
export function bytesOf(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$/.exec(text.trim().toLowerCase()) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * 1_000 ** (unit === '' ? 0 : 'kmgt'.indexOf(unit) + 1);
}

export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Formats the age of a time, or its date if it is at least a week old. */
export function agoText(at: number, now: number): string {
  const ago = now - at;
  if (ago < MINUTE) return 'just now';
  if (ago < HOUR) return `${Math.floor(ago / MINUTE)} min ago`;
  if (ago < DAY) return `${Math.floor(ago / HOUR)} h ago`;
  if (ago < 7 * DAY) return ago < 2 * DAY ? '1 day ago' : `${Math.floor(ago / DAY)} days ago`;
  return dayText(at);
}

function dayText(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function minuteText(at: number): string {
  const date = new Date(at);
  return `${dayText(at)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
