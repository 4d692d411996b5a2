/** What an edit would do to a file, as the lines that go and the lines that come. Pure. */
import type { JsonObject } from '@heddle/core';
import { harmless } from '../../terminal/harmless.ts';
import type { Style } from '../style.ts';
import { counted } from '../render/amounts.ts';
import { type Hunk, hunksBetween } from './hunks.ts';

/** Lines of a change that are shown before the rest is only counted. */
const SHOWN = 24;

/** `current`: the file as it is; undefined where there is none. Undefined for a call that changes no file. */
export function changeLines(
  tool: string,
  input: JsonObject,
  current: string | undefined,
  style: Style,
  most = SHOWN,
): string[] | undefined {
  const hunks = hunksOf(tool, input, current);
  if (!hunks) return undefined;
  const { paint, signs } = style;
  const all = hunks.flatMap(({ gone, come }, index) => {
    // Lines that stay lie in between.
    const between = index > 0 ? [paint('dim', signs.more)] : [];
    const minus = gone.map((line) => paint('red', `- ${harmless(line)}`));
    return between.concat(
      minus,
      come.map((line) => paint('green', `+ ${harmless(line)}`)),
    );
  });
  if (all.length <= most) return all;
  return [
    ...all.slice(0, most),
    paint('dim', `${signs.more} ${counted(all.length - most, 'more line')} (? shows all)`),
  ];
}

function hunksOf(tool: string, input: JsonObject, current: string | undefined): readonly Hunk[] | undefined {
  if (tool === 'Write') {
    const content = input['content'];
    return typeof content === 'string' ? hunksBetween(linesOf(current ?? ''), linesOf(content)) : undefined;
  }
  if (tool !== 'Edit') return undefined;
  const edits = Array.isArray(input['edits']) ? input['edits'] : [input];
  return edits.flatMap((edit: unknown) => {
    const before = field(edit, 'old_string');
    const after = field(edit, 'new_string');
    if (typeof after !== 'string') return [];
    return hunksBetween(linesOf(typeof before === 'string' ? before : ''), linesOf(after));
  });
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
