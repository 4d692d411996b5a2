/** Checks cache marks: their number, positions and form. */
import { isRecord } from '@heddle/core';
import { type Fields, fieldsOf, isBlank, type PlacedBlock } from './json.ts';
import type { Report } from './rules.ts';

const MOST_MARKS = 4;

export function checkMarks(body: Fields, blocks: readonly PlacedBlock[], report: Report): void {
  const places = [
    ...fieldsOf(body['tools']).map(({ place, fields }) => ({ path: `tools.${place}`, block: fields })),
    ...fieldsOf(body['system']).map(({ place, fields }) => ({ path: `system.${place}`, block: fields })),
    ...blocks,
  ];
  let count = 0;
  for (const { path, block } of places) {
    const mark = block['cache_control'];
    if (mark === undefined || mark === null) continue;
    count++;
    if (!isMark(mark)) report(`${path}.cache_control`, 'mark-form');
    const { type, text } = block;
    if (type === 'thinking' || type === 'redacted_thinking' || (type === 'text' && isBlank(text))) {
      report(`${path}.cache_control`, 'mark-place');
    }
  }
  if (count > MOST_MARKS)
    report('cache_control', 'mark-count', `${count} cache marks, at most ${MOST_MARKS}`);
}

function isMark(mark: unknown): boolean {
  if (!isRecord(mark) || mark['type'] !== 'ephemeral') return false;
  const { ttl, type: _type, ...rest } = mark;
  return (ttl === undefined || ttl === '5m' || ttl === '1h') && Object.keys(rest).length === 0;
}
