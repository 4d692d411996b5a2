/** Attachments through the public surface: files and images that a prompt names with `@`, and files that changed on disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bodyOf, call, createRandom, fakeTool, say, type Script, scriptedModel } from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { AgentOptions } from '../engine/options.ts';
import { LivePermissions } from '../permission/live-permissions.ts';
import { NO_RULES } from '../permission/rules/rule.ts';
import { mentionsIn, writeMention } from './mentions.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'heddle-attachments-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The smallest PNG: one transparent pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function send(
  prompt: string,
  options: Partial<AgentOptions> & { readonly verbatim?: boolean; readonly script?: Script } = {},
): Promise<{ sent: string; attachments: unknown[] }> {
  const { verbatim = false, script = [say('Yes.')], ...more } = options;
  const model = scriptedModel(script);
  const agent = createAgent({ model, modelName: 'scripted', tools: [], cwd: folder, ...more });
  for await (const line of agent.submit({ content: prompt, verbatim })) void line;
  model.assertNoViolations();
  const attachments = [...agent.messages].flatMap((message) =>
    message.type === 'attachment' ? [message.attachment] : [],
  );
  return { sent: JSON.stringify(model.calls.map(({ request }) => bodyOf(request))), attachments };
}

describe('mentions in a text', () => {
  it.each([
    ['look at @src/a.ts.', [{ path: 'src/a.ts' }]],
    ['(@a.ts) and @"b c.ts"', [{ path: 'a.ts' }, { path: 'b c.ts' }]],
    [
      '@a.ts#L10-20 @b.ts#L3',
      [
        { path: 'a.ts', lines: [10, 20] },
        { path: 'b.ts', lines: [3, 3] },
      ],
    ],
    ['mail me@example.com, `@code`, ```\n@block\n```', []],
    ['@a.ts and @a.ts', [{ path: 'a.ts' }]],
  ])('%s', (text, mentions) => {
    expect(mentionsIn(text)).toEqual(mentions);
  });
});

describe('a written mention', () => {
  it.each([
    ['src/a.ts', '@src/a.ts'],
    ['@types/a.d.ts', '@@types/a.d.ts'],
    ['my notes.md', '@"my notes.md"'],
    ['app/(shop)/[id].tsx', '@"app/(shop)/[id].tsx"'],
    ['really?', '@"really?"'],
    ['été', '@été'],
    ['a#L1', undefined],
    ['a"b', undefined],
    ['a(@.env', undefined],
  ])('of %s is %s', (name, written) => {
    expect(writeMention(name)).toBe(written);
  });

  it('names exactly its file beside any other text', () => {
    const random = createRandom(9);
    const parts = [
      'a',
      '.',
      '/',
      '@',
      '~',
      ' ',
      '"',
      "'",
      '`',
      '(',
      '[',
      '{',
      ')',
      ',',
      ';',
      ':',
      '!',
      '#L1',
      '-2',
    ]
      .concat(['\u00A0', '\u2028', '\n', '.env', ' @~/x', '(@.env', '```', '\\'])
      .concat(['a', 'b', 'c', '.ts', '日']);
    const text = (most: number): string =>
      Array.from(
        { length: Math.floor(random() * most) },
        () => parts[Math.floor(random() * parts.length)],
      ).join('');
    let count = 0;
    for (let round = 0; round < 20_000; round++) {
      const name = text(8);
      const written = writeMention(name);
      if (written === undefined) continue;
      count++;
      expect(mentionsIn(written)).toEqual([{ path: name }]);
      // Other text may hide it, but it is read like the mention of an ordinary name at the same place.
      const [before, after] = [text(6), text(6)];
      const pathsWith = (mention: string): Set<string> =>
        new Set(mentionsIn(`${before} ${mention} ${after}`).map(({ path: at }) => at));
      const ordinary = pathsWith(written.startsWith('@"') ? '@"ordinary"' : '@ordinary');
      expect(pathsWith(written)).toEqual(
        new Set(Array.from(ordinary, (at) => at.replace('ordinary', () => name))),
      );
    }
    expect(count).toBeGreaterThan(2_000);
  });
});

describe('a file that a prompt names with @', () => {
  it('joins the prompt with its text', async () => {
    writeFileSync(path.join(folder, 'a.ts'), 'const loom = 1;\n');
    const { sent, attachments } = await send('Explain @a.ts please.');
    expect(attachments).toEqual([
      { kind: 'file', path: path.join(folder, 'a.ts'), text: 'const loom = 1;\n' },
    ]);
    expect(sent).toContain('const loom = 1;');
  });

  it.each([
    [
      'a range of lines',
      '@a.ts#L2-3',
      { text: 'line 2\nline 3', note: expect.stringContaining('Lines 2 to 3') },
    ],
    ['a folder', '@sub', { text: 'x.md', note: expect.stringContaining('The names in this folder.') }],
    ['a binary file', '@data.bin', { text: '', note: 'It is not a text file.' }],
    ['a long file', '@long.txt', { note: expect.stringContaining('Lines 1 to 2000 of 5001.') }],
  ])('may be %s', async (_, prompt, expected) => {
    writeFileSync(path.join(folder, 'a.ts'), 'line 1\nline 2\nline 3\nline 4\n');
    mkdirSync(path.join(folder, 'sub'));
    writeFileSync(path.join(folder, 'sub/x.md'), 'x');
    writeFileSync(path.join(folder, 'data.bin'), Buffer.from([0, 1, 2]));
    writeFileSync(path.join(folder, 'long.txt'), 'x\n'.repeat(5_000));
    expect((await send(prompt)).attachments).toMatchObject([expected]);
  });

  it('may be an image', async () => {
    writeFileSync(path.join(folder, 'p.png'), PIXEL);
    const { sent, attachments } = await send('Describe @p.png');
    expect(attachments).toMatchObject([{ kind: 'image', path: path.join(folder, 'p.png') }]);
    expect(sent).toContain('"media_type":"image/png"');
  });

  it('that does not exist is ordinary text, and a verbatim prompt names none', async () => {
    writeFileSync(path.join(folder, 'a.ts'), 'x');
    expect((await send('ask @someone about @missing.ts')).attachments).toEqual([]);
    expect((await send('@a.ts', { verbatim: true })).attachments).toEqual([]);
  });

  it('is not read if a rule denies it, also behind a link', async () => {
    writeFileSync(path.join(folder, 'secret.env'), 'TOKEN=loom');
    symlinkSync(path.join(folder, 'secret.env'), path.join(folder, 'link.txt'));
    const { sent, attachments } = await send('@secret.env @link.txt', {
      rules: { ...NO_RULES, deny: [{ text: 'Read(secret.env)', source: 'command line' }] },
    });
    expect(sent).not.toContain('TOKEN=loom');
    expect(attachments).toMatchObject([{ note: 'A rule forbids reading it.' }, { note: expect.any(String) }]);
  });
});

describe('open steps of the list', () => {
  const list = fakeTool({ name: 'TodoWrite' });
  const look = fakeTool({ name: 'Look', run: (_input, _context, at) => `seen ${at}` });
  const remindersAfter = async (answers: number, status: string): Promise<unknown[]> => {
    const todos = [{ content: 'Weave', activeForm: 'Weaving', status }];
    const looks = Array.from({ length: answers }, (_, index) => call('Look', { index }, `l${index}`));
    const script = [call('TodoWrite', { todos }, 't1'), ...looks, say('Done.')];
    return (await send('go', { tools: [list, look], script })).attachments;
  };

  it('are repeated to the model after ten answers without a change, and not before', async () => {
    expect(await remindersAfter(9, 'pending')).toEqual([]);
    expect(await remindersAfter(12, 'pending')).toMatchObject([
      { kind: 'reminder', about: 'todo', text: expect.stringContaining('- Weave (pending)') },
    ]);
  });

  it('are not repeated if all are completed', async () => {
    expect(await remindersAfter(12, 'completed')).toEqual([]);
  });
});

describe('a file that changed on disk since it was read', () => {
  it('is not reported if it is a link now, because rules were asked about another file', async () => {
    const file = path.join(folder, 'a.ts');
    writeFileSync(file, 'one\n');
    writeFileSync(path.join(folder, 'key'), 'The private key.\n');
    const change = fakeTool({
      name: 'Change',
      run: () => {
        rmSync(file);
        symlinkSync('key', file);
        return 'changed';
      },
    });
    const script = [call('Change', {}, 'c1'), say('Done.')];
    const { attachments } = await send('Look at @a.ts', { tools: [change], script });
    expect(attachments).toMatchObject([{ kind: 'file' }]);
  });

  it.each([
    ['denies it now', 'deny', 'Read(./a.ts)'],
    ['asks about it', 'ask', 'Read(./a.ts)'],
    ['asks about every file', 'ask', 'Read'],
  ])('is not reported if a rule %s', async (_, list, rule) => {
    const file = path.join(folder, 'a.ts');
    writeFileSync(file, 'one\n');
    const rules = new LivePermissions(NO_RULES);
    const change = fakeTool({
      name: 'Change',
      run: () => {
        writeFileSync(file, 'The private key.\n');
        rules.grant({ ...NO_RULES, [list]: [{ text: rule, source: 'session' }] });
        return 'changed';
      },
    });
    const script = [call('Change', {}, 'c1'), say('Done.')];
    const { attachments } = await send('Look at @a.ts', { tools: [change], script, rules });
    expect(attachments).toMatchObject([{ kind: 'file' }]);
  });

  it('is reported with the lines that changed', async () => {
    const file = path.join(folder, 'a.ts');
    writeFileSync(file, 'one\ntwo\nthree\n');
    const change = fakeTool({
      name: 'Change',
      run: () => {
        writeFileSync(file, 'one\nTWO\nthree\n');
        return 'changed';
      },
    });
    const { attachments } = await send('Look at @a.ts', {
      tools: [change],
      script: [call('Change', {}, 'c1'), say('Done.')],
    });
    expect(attachments).toMatchObject([
      { kind: 'file' },
      { kind: 'changed_file', path: file, note: expect.stringMatching(/-two\n\+TWO/) },
    ]);
  });
});
