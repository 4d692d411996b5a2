import { describe, expect, it } from 'vitest';
import { replaceInChunks, replaceSpans } from './chunks.ts';
import { type MachinePlace, createNamer, findRelocations } from './places.ts';

const there: MachinePlace[] = [
  { name: 'cwd', path: '/old/project' },
  { name: 'config', path: '/old/.heddle' },
  { name: 'temp', path: '/tmp' },
];
const here: MachinePlace[] = [
  { name: 'cwd', path: '/new/place' },
  { name: 'config', path: '/new/.heddle' },
  { name: 'temp', path: '/tmp' },
];
const RECORDED = Date.UTC(2026, 0, 5, 12);
const NOW = Date.UTC(2026, 5, 7, 12);

describe("the model's text from another folder", () => {
  const find = findRelocations(there, here);
  const moved = (text: string): string => replaceSpans(text, find?.(text) ?? []);

  it('names this folder, and only where the folder is meant', () => {
    expect(moved('cat /old/project/a.txt /old/project2 "/old/project" /tmp/x')).toBe(
      'cat /new/place/a.txt /old/project2 "/new/place" /tmp/x',
    );
  });

  it('is changed across its chunks, and the number of chunks stays the same', () => {
    const pieces = ['{"p":"/ol', 'd/proj', 'ect/a"}'];
    expect(replaceInChunks(pieces, find?.(pieces.join('')) ?? [])).toEqual(['{"p":"/new/place', '', '/a"}']);
  });

  it('is unchanged if no folder moved', () => {
    expect(findRelocations(there, there)).toBeUndefined();
  });
});

describe('a difference without meaning', () => {
  const theirs = createNamer(there, here, [RECORDED, NOW]);
  const ours = createNamer(here, there, [RECORDED, NOW]);

  it.each([
    ['the working folder', 'in /old/project/src', 'in /new/place/src'],
    ['the day', 'Today is 2026-01-05.', 'Today is 2026-06-07.'],
    ['the day in words', 'It is January 5, 2026', 'It is June 7, 2026'],
    ['the day with its weekday', 'It is Monday, January 5, 2026', 'It is Sunday, June 7, 2026'],
    ['the British day', 'It is 5 January 2026', 'It is 7 June 2026'],
    ['the day that the model repeated', 'since 2026-01-05', 'since 2026-01-05'],
    ['ids', 'id 3f1c0a52-9f4e-4a7b-8d2e-0123456789ab', 'id 00000000-9f4e-4a7b-8d2e-0123456789ab'],
    [
      'where results are kept',
      '/old/.heddle/projects/-old-project/3f1c0a52-9f4e-4a7b-8d2e-0123456789ab/r.txt',
      '/new/.heddle/projects/-new-place/00000000-9f4e-4a7b-8d2e-0123456789ab/r.txt',
    ],
    [
      'the machine',
      "Working directory: /old/project\nPlatform: linux x64\nThe user's shell: bash\nMore: yes",
      'Working directory: /new/place\nPlatform: darwin arm64\nMore: yes',
    ],
    [
      'the branch when it began',
      "<system-reminder>\n# Today's date\n2026-01-05\n# Git when the session began\non branch a\n# More\n",
      "<system-reminder>\n# Today's date\n2026-06-07\n# More\n",
    ],
    [
      'the day on which a resumed session had begun',
      "<system-reminder>\n# Today's date\n2025-11-11\n# More\n",
      "<system-reminder>\n# Today's date\n2025-12-12\n# More\n",
    ],
    ['a folder that stands in a file both have', 'root = /old/project', 'root = /old/project'],
  ])('%s', (_, recorded, now) => {
    expect(theirs(recorded)).toBe(ours(now));
  });

  it.each([
    ['a file about a machine', 'Platform: linux', 'Platform: darwin'],
    ['another day', '2025-01-01', '2025-01-02'],
    ['another file', '/old/project/a', '/new/place/b'],
    ['a folder of the same beginning', '/old/project2', '/new/place'],
  ])('is not %s', (_, recorded, now) => {
    expect(theirs(recorded)).not.toBe(ours(now));
  });

  it('is distinguished if one folder contains the other', () => {
    const inner: MachinePlace[] = [{ name: 'cwd', path: '/old/project/b' }];
    const outer: MachinePlace[] = [{ name: 'cwd', path: '/old/project' }];
    expect(createNamer(outer, inner, [])('/old/project/b/c')).toBe(
      createNamer(inner, outer, [])('/old/project/b/b/c'),
    );
  });
});
