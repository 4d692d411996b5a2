/** A line that is printed whole, as rows of the terminal. Pure. */
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../../terminal/width.ts';
import { broken } from './broken.ts';
import { Rows } from './rows.ts';

/** What a call would do is shown behind a bar: every character of it, and no row without the bar. */
const BAR = '  | ';

const SHALLOW = 4;

export function printed(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => {
      if (widthOf(stripVTControlCharacters(line)) <= columns) return line;
      return line.startsWith(BAR)
        ? BAR + broken(line.slice(BAR.length), columns - BAR.length, { hang: BAR, atWords: true })
        : wrapped(line, columns);
    })
    .join('\n');
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
