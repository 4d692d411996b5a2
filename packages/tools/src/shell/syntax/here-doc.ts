/** Checks that a here-document ends at the same place for the shell and for the parser. */
import type { HereDoc } from 'unbash';
import type { Refusal } from './word-syntax.ts';

export function hereDocRefusal({ delimiter, body, closing, operator }: HereDoc, source: string): Refusal {
  if (delimiter === undefined || closing === undefined) return 'a here-document without an end';
  if (!/^(?:\w+|'\w+'|"\w+")$/.test(delimiter.text)) return 'an unusual end of a here-document';
  const strip = (line: string): string => (operator === '<<-' ? line.replace(/^\t+/, '') : line);
  const lines = source.slice(body.pos, closing.pos).split('\n');
  const last = lines.pop() ?? '';
  const isPlaced =
    source[body.pos - 1] === '\n' &&
    strip(last) === '' &&
    source.slice(closing.pos, closing.end) === delimiter.value &&
    /^(?:\n|$)/.test(source.slice(closing.end, closing.end + 1));
  if (!isPlaced || lines.some((line) => strip(line) === delimiter.value))
    return 'an unusual end of a here-document';
  // The shell joins continued lines before it searches the end.
  const joins = !delimiter.quoted && lines.some((line) => line.endsWith('\\'));
  return joins ? 'a continued line in a here-document' : undefined;
}
