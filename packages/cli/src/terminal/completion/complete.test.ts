import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { draftOf } from '../input/editor.ts';
import { complete, type CompletionSources, listFolder } from './complete.ts';

const FILES: Readonly<Record<string, readonly string[]>> = {
  '': ['README.md', 'package.json', 'packages/', '.git/', '.gitignore', 'my dir/', "it's $1", '~/'],
  'packages/': ['cli/', 'core/', 'cli-docs/'],
  '/': ['usr/'],
  'my dir/': ['a file.txt', 'b file.txt'],
  'n/': ['notes.txt', 'notes.md'],
  // A part of each name would be read as a mention, or is not read as a part of one.
  'bad/': ['c(@.env', 'c @~/', 'c" @.env', 'c\u00A0@.env', 'c`', 'c#L1'],
};
const sources: CompletionSources = {
  commands: ['compact', 'context', 'cost', 'model', 'mode'],
  list: (folder) =>
    (FILES[folder] ?? []).map((name) => ({ name: name.replace('/', ''), isFolder: name.endsWith('/') })),
};

/** Returns the line after Tab, with a bar at the cursor, or the candidates. */
function tab(text: string, cursor = text.length): string | readonly string[] {
  const completed = complete({ text, cursor }, sources);
  if (completed.kind === 'choices') return completed.names;
  const { text: after, cursor: at } = completed.kind === 'draft' ? completed.draft : { text, cursor };
  return `${after.slice(0, at)}|${after.slice(at)}`;
}

describe('Tab', () => {
  it.each([
    ['/comp', '/compact |'],
    ['/mod', '/mode|'],
    ['/mode', ['model', 'mode']],
    ['/c', '/co|'],
    ['/us', '/usr/|'],
    ['read RE', 'read README.md |'],
    ['look at @pack', 'look at @package|'],
    ['@packages/co', '@packages/core/|'],
    ['!ls packages/cli', ['cli/', 'cli-docs/']],
    ['.giti', '.gitignore |'],
    ['@', ['README.md', 'package.json', 'packages/', 'my dir/', "it's $1"]],
    ['@my', '@"my dir/|'],
    ['see @my dir/a', 'see @"my dir/a file.txt" |'],
    ['see @"my dir/b', 'see @"my dir/b file.txt" |'],
    ['see @"', ['README.md', 'package.json', 'packages/', 'my dir/', "it's $1"]],
    ['see @it', 'see @"it\'s $1" |'],
    ['see @n/n', 'see @n/notes.|'],
    ['see @n/notes.t', 'see @n/notes.txt |'],
    ['see @n/notes.txt', 'see @n/notes.txt |'],
    ['see n/notes.t', 'see n/notes.txt |'],
    ['see @bad/c', 'see @bad/c|'],
    ['see @"bad/c', 'see @"bad/c|'],
    ['see bad/c', 'see bad/c|'],
    ['@~', '@~|'],
    ['!cat bad/c\\(', '!cat bad/c\\(@.env |'],
    ['see my dir/b f', 'see my dir/b file.txt |'],
    ['@my dir/', ['a file.txt', 'b file.txt']],
    ['!cat my', '!cat my\\ dir/|'],
    ['!cat my\\ dir/a', '!cat my\\ dir/a\\ file.txt |'],
    ['!cat "my', '!cat "my dir/|'],
    ['!cat "my dir/a', '!cat "my dir/a file.txt" |'],
    ['!cat it', "!cat it\\'s\\ \\$1 |"],
    ['!cat "it', '!cat "it\'s \\$1" |'],
    ["!cat 'it", "!cat 'it'\\''s $1' |"],
    ['!cat "it\'s \\', '!cat "it\'s \\|'],
    ['!cat "it\'s $', '!cat "it\'s $|'],
    ['!cat it\\', '!cat it\\|'],
    ['!cat $HOME/pack', '!cat $HOME/pack|'],
    ['!A=$HOME cat RE', '!A=$HOME cat README.md |'],
    ['!cat "$(git rev-parse HEAD)" "${HOME}" RE', '!cat "$(git rev-parse HEAD)" "${HOME}" README.md |'],
    ['!cat RE', '!cat README.md |'],
    ["!cat 'a\\' RE", "!cat 'a\\' README.md |"],
    ['!cat "a\\"b RE', '!cat "a\\"b RE|'],
    ["!ls # it's\ncat RE", "!ls # it's\ncat RE|"],
    ['!cat "`RE', '!cat "`RE|'],
    ['!cat <<x RE', '!cat <<x RE|'],
    ['!cat <<<x RE', '!cat <<<x README.md |'],
    ['no such file', 'no such file|'],
    ['', '|'],
    ['a word ', 'a word |'],
  ])('completes %j', (text, expected) => {
    expect(tab(text)).toEqual(expected);
  });

  it('completes in the middle of a line, and adds no second space', () => {
    expect(tab('read RE now', 7)).toBe('read README.md| now');
  });
});

describe('the files of a folder', () => {
  it('are distinguished from folders, also through links; names with control characters are omitted', () => {
    const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-complete-'));
    mkdirSync(path.join(home, 'src'));
    writeFileSync(path.join(home, 'a file'), '');
    writeFileSync(path.join(home, 'evil\u001b[2J'), '');
    symlinkSync('src', path.join(home, 'link'));
    symlinkSync('nowhere', path.join(home, 'broken'));
    expect(listFolder('', home).map(({ name, isFolder }) => (isFolder ? `${name}/` : name))).toEqual([
      'a file',
      'broken',
      'link/',
      'src/',
    ]);
    expect(listFolder('none/', home)).toEqual([]);
    expect(complete(draftOf('sr'), { commands: [], list: (folder) => listFolder(folder, home) })).toEqual({
      kind: 'draft',
      draft: { text: 'src/', cursor: 4 },
    });
  });
});
