/** What a call would do to a file: where, and with which lines. Pure. */
import type { JsonObject } from '@heddle/core';
import { applyEdits } from '@heddle/tools';
import { type Hunk, hunksBetween } from './hunks.ts';

export interface Change {
  /** The file as it is; undefined where it is not known, and lines have no number. */
  readonly before: readonly string[] | undefined;
  readonly hunks: readonly Hunk[];
}

/** `current`: the file as it is; undefined where there is none. Undefined for a call that changes no file. */
export function changeOf(tool: string, input: JsonObject, current: string | undefined): Change | undefined {
  if (tool === 'Write') {
    const content = input['content'];
    return typeof content === 'string' ? between(current, content) : undefined;
  }
  if (tool !== 'Edit') return undefined;
  const steps = stepsOf(input);
  const applied = current === undefined ? undefined : applyEdits(current, steps);
  if (applied?.ok) return between(current, applied.text);
  // It will be refused, or nobody knows the file: what it says is all there is to see.
  const hunks = steps.flatMap(({ old_string, new_string }) =>
    hunksBetween(linesOf(old_string), linesOf(new_string)),
  );
  return { before: undefined, hunks };
}

export function sizeOf({ hunks }: Change): { readonly come: number; readonly gone: number } {
  const sum = (count: (hunk: Hunk) => number): number =>
    hunks.reduce((total, hunk) => total + count(hunk), 0);
  return { come: sum(({ come }) => come.length), gone: sum(({ gone }) => gone.length) };
}

function between(current: string | undefined, after: string): Change {
  const before = linesOf(current ?? '');
  const hunks = hunksBetween(before, linesOf(after));
  return { before: before.length === 0 ? undefined : before, hunks };
}

interface Step {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

function stepsOf(input: JsonObject): Step[] {
  const edits: readonly unknown[] = Array.isArray(input['edits']) ? input['edits'] : [input];
  return edits.flatMap((edit) => {
    const [before, after] = [field(edit, 'old_string'), field(edit, 'new_string')];
    if (typeof after !== 'string') return [];
    const replace_all = field(edit, 'replace_all') === true;
    return [{ old_string: typeof before === 'string' ? before : '', new_string: after, replace_all }];
  });
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
