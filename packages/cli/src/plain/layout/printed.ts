/** A line that is printed whole, as rows of the terminal. Pure. */
import { stripVTControlCharacters } from 'node:util';
import { mostWidthOf, widthOf, withoutTabs } from '../../terminal/width.ts';
import { broken } from './broken.ts';
import { Rows } from './rows.ts';

/** What a call would do is shown behind a bar: every character of it, and no row without the bar. */
const BAR = '  | ';

const SHALLOW = 4;

export function printed(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(BAR) ? barred(line, columns) : open(withoutTabs(line), columns)))
    .join('\n');
}

/** Where terminals disagree about a width, the larger one counts: else what they break themselves has no bar. */
function barred(line: string, columns: number): string {
  const text = withoutTabs(line.slice(BAR.length));
  const room = columns - BAR.length;
  if (mostWidthOf(stripVTControlCharacters(text)) <= room) return BAR + text;
  const lead = leadOf(text, room);
  const hang = ' '.repeat(stripVTControlCharacters(lead).length);
  const rows = broken(text.slice(lead.length), room - hang.length, { hang: BAR + hang, atWords: true });
  return BAR + lead + rows;
}

/** The number and the sign of a changed line, and its indentation: nothing of the text gets below them. */
function leadOf(text: string, room: number): string {
  const leads = LEAD.exec(text) ?? [];
  return leads.find((lead) => stripVTControlCharacters(lead).length <= room / 2) ?? '';
}

/** With the indentation, then without it. Our own colour may stand before them. */
// oxlint-disable-next-line no-control-regex -- colours are the point
const LEAD = /^((?:\u001b\[[\d;]*m)*(?:(?: *\d+ )?[-+ ] )?) */;

function open(line: string, columns: number): string {
  return widthOf(stripVTControlCharacters(line)) <= columns ? line : wrapped(line, columns);
}

function wrapped(line: string, columns: number): string {
  const rows = new Rows(() => columns);
  rows.begin(' '.repeat(hangOf(stripVTControlCharacters(line), columns)));
  const words = line.matchAll(/( *)([^ ]+)/g);
  return Array.from(words, ([, gap = '', word = '']) => rows.put(gap, word)).join('');
}

/** Rows hang below the text: behind a sign or a number, or in the second column where that leaves them room. */
function hangOf(line: string, columns: number): number {
  const lead = /^\s*/.exec(line)?.[0].length ?? 0;
  const text = widthOf(/^\s*(?:[^\s\w(] +|\S+(?: \S+)* {2,})?/.exec(line)?.[0] ?? '');
  return text <= columns / 2 ? text : Math.min(lead, Math.floor(columns / 4)) + SHALLOW;
}
