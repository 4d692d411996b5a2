/** Formats an output for the model: all of it, or its beginning and end with the path of the whole. */
import { stripVTControlCharacters } from 'node:util';
import type { OutputView } from './output.ts';

/** The characters of each end that are shown of a long output. Both together stay well under 5 kB. */
const SHOWN_AT_EACH_END = 2_000;

export function previewOf(view: OutputView, limit: number): string {
  if (view.omitted === 0 && view.head.length <= limit) return toReadableText(view.head);
  const head = toReadableText(view.head.slice(0, SHOWN_AT_EACH_END));
  const tail = toReadableText((view.tail === '' ? view.head : view.tail).slice(-SHOWN_AT_EACH_END));
  return `${head}\n… ${gapOf(view)} …\n${tail}`;
}

function gapOf({ bytes, file, fileProblem }: OutputView): string {
  const size = `${outputSizeText(bytes)} in all, the middle left out`;
  if (fileProblem !== undefined) return `${size}; the whole could not be kept: ${fileProblem}`;
  return file === undefined ? size : `${size}; the whole is in ${file}`;
}

export function outputSizeText(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  return bytes < 10_000_000 ? `${Math.round(bytes / 1000)} kB` : `${Math.round(bytes / 1_000_000)} MB`;
}

/** Removes colors, and keeps only the last state of an overwritten line. */
export function toReadableText(text: string): string {
  const plain = stripVTControlCharacters(text);
  if (!plain.includes('\r')) return plain;
  return plain.split(/\r*\n/).map(lastWritten).join('\n');
}

function lastWritten(line: string): string {
  const kept = line.replace(/\r+$/, '');
  return kept.slice(kept.lastIndexOf('\r') + 1);
}
/** The end of a command, as data and as text. */
export type TaskEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'stopped'; readonly why: string }
  | { readonly kind: 'not_started'; readonly why: string };

export function taskEndOf(end: TaskEnd | undefined): string {
  switch (end?.kind) {
    case undefined:
      return 'is still running';
    case 'exited':
      return `has ended with exit code ${end.code}`;
    case 'signalled':
      return `was ended by ${end.signal}`;
    case 'stopped':
      return `was ended: ${end.why}`;
    case 'not_started':
      return `could not be started: ${end.why}`;
  }
}
