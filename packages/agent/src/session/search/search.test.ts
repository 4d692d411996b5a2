/** Searching sessions: what is found, in which order, and how few lines are looked at. */
import { utimesSync } from 'node:fs';
import { packagedRipgrep } from '@heddle/tools/engines';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  assistant,
  callOf,
  createSessionHome,
  type SessionHome,
  resultOf,
  user,
} from '../test/session-home.ts';
import { likelyLines, type SearchProgram, searchSessions, type SessionHit } from './search.ts';
import { textMatcherOf, requiredLiteral } from './matcher.ts';

let packaged: SearchProgram | undefined;

beforeAll(async () => {
  const program = await packagedRipgrep();
  packaged = program === undefined ? undefined : { program };
});

const engines: readonly (readonly [string, () => SearchProgram | undefined])[] = [
  ['ripgrep', () => packaged],
  ['the built-in search', () => undefined],
  ['a ripgrep that is broken', () => ({ program: '/nowhere/rg' })],
];

function three(): SessionHome {
  const home = createSessionHome();
  const bodies = {
    oldest: [user('u1', 'Where is the "Kettle"?\nsecond line'), assistant('a1', 'In the garden.')],
    middle: [
      callOf('a1', 'c1'),
      resultOf('r1', 'c1', 'one\nthe kettle\nthe kettle again'),
      user('u2', 'ÉTÉ été'),
    ],
    newest: [user('u1', `${'x'.repeat(100_000)} kettle far out`), assistant('a1', 'a\\b kettle\tend')],
  };
  Object.entries(bodies).forEach(([id, entries], second) => {
    const { journal } = home.begin(id);
    for (const body of entries) journal.append(body);
    journal.close();
    utimesSync(home.file(id), second + 1, second + 1);
  });
  return home;
}

async function hitsOf(
  home: SessionHome,
  words: string,
  more: { regex?: boolean; ripgrep?: SearchProgram | undefined } = {},
): Promise<SessionHit[]> {
  const made = textMatcherOf(words, more.regex ?? false);
  if (!made.ok) throw new Error(made.message);
  const hits: SessionHit[] = [];
  for await (const hit of searchSessions({ ...home.place, matcher: made.matcher, ripgrep: more.ripgrep }))
    hits.push(hit);
  return hits;
}

const titlesOf = (hits: readonly SessionHit[]): string[] =>
  hits.map(({ session, role, line, more }) => `${session.id} ${role}: ${line.slice(-22)} +${more}`);

describe.each(engines)('a search with %s', (_name, ripgrep) => {
  it('finds what was said, newest session first, also in texts that were stored apart', async () => {
    const hits = await hitsOf(three(), 'kettle', { ripgrep: ripgrep() });
    expect(titlesOf(hits)).toEqual([
      'newest user: xxxxxxx kettle far out +0',
      'newest assistant: a\\b kettle\tend +0',
      'middle tool: the kettle +1',
      'oldest user: Where is the "Kettle"? +0',
    ]);
    expect(hits.map(({ line, start, end }) => line.slice(start, end).toLowerCase())).toEqual(
      Array(4).fill('kettle'),
    );
  });

  it('minds capitals where the search has some', async () => {
    expect(titlesOf(await hitsOf(three(), 'Kettle', { ripgrep: ripgrep() }))).toEqual([
      'oldest user: Where is the "Kettle"? +0',
    ]);
  });

  it.each(['"kettle"?', 'a\\b', 'kettle\tend', 'été', 'in the garden'])(
    'takes %j literally',
    async (words) => {
      expect(await hitsOf(three(), words, { ripgrep: ripgrep() })).toHaveLength(1);
    },
  );

  it.each([
    ['k.ttle (far|near)', 1],
    ['^the kettle$', 1],
    ['garden|second', 2],
    [String.raw`\bend$`, 1],
    ['[g]arden?', 1],
  ])('understands the pattern %s', async (words, count) => {
    expect(await hitsOf(three(), words, { regex: true, ripgrep: ripgrep() })).toHaveLength(count);
  });

  it('finds nothing in a file that is not a conversation', async () => {
    expect(await hitsOf(three(), 'sessionId', { ripgrep: ripgrep() })).toEqual([]);
    expect(await hitsOf(three(), 'parentUuid', { ripgrep: ripgrep() })).toEqual([]);
  });
});

describe('lines', () => {
  it('without what is searched for are not even parsed', () => {
    const home = three();
    const made = textMatcherOf('garden', false);
    expect(made.ok && [...likelyLines(home.file('oldest'), made.matcher)]).toHaveLength(1);
  });
});

describe('what every match of a pattern contains', () => {
  it.each([
    ['foo', 'foo'],
    ['foo.*barbar', 'barbar'],
    ['colou?r', 'colo'],
    ['ab{2,3}cdef', 'cdef'],
    ['(foo|bar)baz', 'baz'],
    ['a|b', undefined],
    [String.raw`1\.5x`, '1.5x'],
    [String.raw`foo\d+`, 'foo'],
    ['[a-z]+', undefined],
    ['x+yz', 'yz'],
    [String.raw`\u0041bc`, undefined],
    ['(unclosed', undefined],
  ])('of %s is %s', (pattern, literal) => {
    expect(requiredLiteral(pattern)).toBe(literal);
  });

  it('is in every match', () => {
    const piece = fc.constantFrom(
      'ab',
      'c',
      'd?',
      'e*',
      'f+',
      '.',
      'g{0,2}',
      '[hi]',
      '(jk)?',
      '(l|m)',
      String.raw`\.`,
      'no',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 6 }).chain((pieces) => {
          const pattern = pieces.join('');
          return fc.tuple(fc.constant(pattern), fc.stringMatching(new RegExp(`^${pattern}$`)));
        }),
        ([pattern, match]) => {
          expect(match).toContain(requiredLiteral(pattern) ?? '');
        },
      ),
    );
  });

  it('is asked of nothing that makes no sense', () => {
    expect(textMatcherOf('(', true)).toMatchObject({ ok: false, message: /no regular expression/ });
    expect(textMatcherOf('  ', false)).toMatchObject({ ok: false, message: /nothing to search/ });
  });
});
