/** Formats numbers, times and texts for people. Pure. */

const NUMBER = new Intl.NumberFormat('en-US');

export function countText(value: number): string {
  return NUMBER.format(Math.round(value));
}

/** `12.3k`, `1.4M`. */
export function shortCount(value: number): string {
  if (value < 999.5) return String(Math.round(value));
  if (value < 999_500) return `${(value / 1_000).toFixed(value < 9_950 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(0)} kB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

export function moneyText(usd: number | undefined): string {
  if (usd === undefined) return 'unknown';
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toFixed(4)}` : usd < 100 ? `$${usd.toFixed(2)}` : `$${countText(usd)}`;
}

/** Rounds before it chooses the unit, so that no text says `60 s` or `1 min 60 s`. */
export function durationText(ms: number): string {
  if (ms < 0) return '0 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function clockText(at: number): string {
  return at === 0 ? '' : new Date(at).toLocaleTimeString('en-GB');
}

export function dateText(at: number): string {
  return at === 0 ? '' : new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

export function agoText(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  if (minutes < 14 * 24 * 60) return `${Math.floor(minutes / 60 / 24)} d ago`;
  return new Date(at).toLocaleDateString('en-GB', { dateStyle: 'medium' });
}

export function percentText(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;
}

/** `next_turn` → `next turn`. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Returns the last folder of a path. */
export function folderName(path: string): string {
  return path.split(/[/\\]/).findLast(Boolean) ?? path;
}

const CONTROLS =
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Makes control and invisible characters visible, so that text cannot hide or reorder other text. */
export function visibleText(text: string): string {
  return text.replaceAll(CONTROLS, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '\r') return '';
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
