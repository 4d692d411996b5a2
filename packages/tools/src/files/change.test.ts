import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KeptContent } from './deps.ts';
import { runInOrder } from './change.ts';
import { runUnprivileged, Scratch, shown } from './test/scratch.ts';

const EMPTY_NOTEBOOK = '{"cells":[]}';

/** Every tool that changes files, changing what is at a path. */
const changers: readonly (readonly [tool: string, inputFor: (file: string) => object, ending: string])[] = [
  ['Write', (file) => ({ file_path: file, content: 'new' }), ''],
  ['Edit', (file) => ({ file_path: file, old_string: 'old', new_string: 'new' }), ''],
  [
    'NotebookEdit',
    (file) => ({ notebook_path: file, new_source: 'x', cell_type: 'code', edit_mode: 'insert' }),
    '.ipynb',
  ],
];

describe.each(changers)('%s against bad input', (tool, inputFor, ending) => {
  const content = tool === 'NotebookEdit' ? EMPTY_NOTEBOOK : 'old';

  async function refused(scratch: Scratch, file: string, reason: RegExp): Promise<void> {
    await expect(scratch.call(tool, inputFor(file))).rejects.toThrow(reason);
    // A caller that skips the validation is rejected as well.
    await expect(scratch.callUnchecked(tool, inputFor(file))).rejects.toThrow(reason);
  }

  it('rejects a file that was not read', async () => {
    const scratch = new Scratch({ [`a${ending}`]: content });
    await refused(scratch, `a${ending}`, /has not been read yet/);
    expect(scratch.text(`a${ending}`)).toBe(content);
  });

  it('rejects a file whose content has changed since, and shows the change', async () => {
    const scratch = new Scratch({ [`a${ending}`]: content });
    await scratch.read(`a${ending}`);
    scratch.put(`a${ending}`, `${content}\nmore\n`);
    await refused(scratch, `a${ending}`, /has changed since it was read[^]*\n\+more\n/);
    expect(scratch.text(`a${ending}`)).toBe(`${content}\nmore\n`);
  });

  it('shows nothing of a file that a rule about reading covers', async () => {
    const scratch = new Scratch({ [`a${ending}`]: content });
    await scratch.read(`a${ending}`);
    const file = scratch.path(`a${ending}`);
    Object.assign(scratch.context, { unaskedFiles: () => Promise.resolve((one: string) => one === file) });
    scratch.put(`a${ending}`, `${content}\nmore\n`);
    await refused(
      scratch,
      `a${ending}`,
      /has changed since it was read, so nothing was written. Read it again/,
    );
  });

  it('accepts a file that was only touched', async () => {
    const scratch = new Scratch({ [`a${ending}`]: content });
    await scratch.read(`a${ending}`);
    scratch.put(`a${ending}`, content);
    await scratch.call(tool, inputFor(`a${ending}`));
    expect(scratch.text(`a${ending}`)).not.toBe(content);
  });

  it.each([
    ['a directory', `folder${ending}`, /is a directory/],
    ['a pipe', `pipe${ending}`, /is a pipe/],
    ['a circle of links', `loop${ending}`, /links go in a circle/],
    ['a name with a NUL', `a\0${ending}`, /NUL/],
    ['a file used as a folder', `file/a${ending}`, /a part of its path is a file/],
    ['a very long name', `${'x'.repeat(300)}${ending}`, /name is too long/],
  ])('rejects %s with a reason, and leaves nothing behind', async (_what, name, reason) => {
    const scratch = new Scratch({ file: 'x' });
    mkdirSync(scratch.path(`folder${ending}`));
    execFileSync('mkfifo', [scratch.path(`pipe${ending}`)]);
    symlinkSync(`loop${ending}`, scratch.path(`loop${ending}`));
    const before = readdirSync(scratch.folder);
    await refused(scratch, name, reason);
    expect(readdirSync(scratch.folder)).toEqual(before);
  });

  it('rejects a file of 5 GB', async () => {
    const scratch = new Scratch({ [`a${ending}`]: '' });
    truncateSync(scratch.path(`a${ending}`), 5 * 2 ** 30);
    await refused(scratch, `a${ending}`, /has 5368709120 bytes, more than this tool changes/);
  });

  it('changes a file whose name contains a line break', async () => {
    const scratch = new Scratch({ [`a\nb${ending}`]: content });
    await scratch.read(`a\nb${ending}`);
    expect(shown(await scratch.call(tool, inputFor(`a\nb${ending}`)))).toContain(String.raw`a\nb`);
  });

  it('writes a file in place if its folder accepts no other, and stores the old content first', async () => {
    const copies: string[] = [];
    const deps = {
      checkpoints: {
        before: () => Promise.resolve(),
        keepCopy: async ({ bytes }: KeptContent) => void copies.push(bytes.toString()),
      },
    };
    const scratch = new Scratch({ [`a${ending}`]: content }, { deps });
    await scratch.read(`a${ending}`);
    chmodSync(scratch.path(`a${ending}`), 0o666);
    const { ino } = statSync(scratch.path(`a${ending}`));
    await runUnprivileged(scratch, async () => void (await scratch.call(tool, inputFor(`a${ending}`))));
    expect(scratch.text(`a${ending}`)).not.toBe(content);
    expect(statSync(scratch.path(`a${ending}`)).ino).toBe(ino);
    expect(copies).toEqual([content]);
    expect(readdirSync(scratch.folder)).toEqual([`a${ending}`]);
  });

  it('changes nothing when another program changes the file at the same moment', async () => {
    const deps = {
      checkpoints: {
        before: async (file: string) => writeFileSync(file, 'theirs'),
      },
    };
    const scratch = new Scratch({ [`a${ending}`]: content }, { deps });
    await scratch.read(`a${ending}`);
    await expect(scratch.call(tool, inputFor(`a${ending}`))).rejects.toThrow(/at the same moment/);
    expect(scratch.text(`a${ending}`)).toBe('theirs');
    expect(readdirSync(scratch.folder)).toEqual([`a${ending}`]);
  });

  it('changes nothing when the old content cannot be stored', async () => {
    const deps = { checkpoints: { before: () => Promise.reject(new Error('no space')) } };
    const scratch = new Scratch({ [`a${ending}`]: content }, { deps });
    await scratch.read(`a${ending}`);
    await expect(scratch.call(tool, inputFor(`a${ending}`))).rejects.toThrow(
      /could not be kept \(no space\)/,
    );
    expect(scratch.text(`a${ending}`)).toBe(content);
  });

  it('ends at once when it is aborted while it waits for its file, and changes nothing', async () => {
    const controller = new AbortController();
    const scratch = new Scratch({ [`a${ending}`]: content }, { signal: controller.signal });
    await scratch.read(`a${ending}`);
    const gate = Promise.withResolvers<void>();
    const holding = runInOrder(scratch.path(`a${ending}`), new AbortController().signal, () => gate.promise);
    const changing = scratch.callUnchecked(tool, inputFor(`a${ending}`));
    controller.abort();
    await expect(changing).rejects.toThrow(/Interrupted/);
    gate.resolve();
    await holding;
    expect(scratch.text(`a${ending}`)).toBe(content);
  });

  it('changes nothing in a file that is read-only, even if the user owns its folder', async () => {
    const scratch = new Scratch({ [`a${ending}`]: content });
    chmodSync(scratch.path(`a${ending}`), 0o444);
    await scratch.read(`a${ending}`);
    await refused(scratch, `a${ending}`, /is read-only, so nothing was written/);
    expect(scratch.text(`a${ending}`)).toBe(content);
  });

  it('ends at once when it is aborted before the last step, and leaves no draft', async () => {
    const controller = new AbortController();
    const deps = { checkpoints: { before: async () => controller.abort() } };
    const scratch = new Scratch({ [`a${ending}`]: content }, { signal: controller.signal, deps });
    await scratch.read(`a${ending}`);
    await expect(scratch.callUnchecked(tool, inputFor(`a${ending}`))).rejects.toThrow(/Interrupted/);
    expect(scratch.text(`a${ending}`)).toBe(content);
    expect(readdirSync(scratch.folder)).toEqual([`a${ending}`]);
  });

  it('determines after a crash whether it happened', async () => {
    const scratch = new Scratch({ [`a${ending}`]: content });
    await scratch.read(`a${ending}`);
    const changer = scratch.tool(tool);
    const details = await changer.describeIntent?.(inputFor(`a${ending}`), scratch.context);
    if (!details) throw new Error('no intent');
    expect(scratch.text(`a${ending}`)).toBe(content);
    expect(await changer.recallOutcome?.(details, scratch.context)).toBe('not_done');
    await scratch.call(tool, inputFor(`a${ending}`));
    expect(await changer.recallOutcome?.(details, scratch.context)).toBe('done');
    scratch.put(`a${ending}`, 'something else');
    expect(await changer.recallOutcome?.(details, scratch.context)).toBe('unknown');
    rmSync(scratch.path(`a${ending}`));
    expect(await changer.recallOutcome?.(details, scratch.context)).toBe('unknown');
  });

  it('keeps mode and links, and leaves nothing beside the file', async () => {
    const scratch = new Scratch({ [`real${ending}`]: content });
    chmodSync(scratch.path(`real${ending}`), 0o751);
    symlinkSync(`real${ending}`, scratch.path(`link${ending}`));
    await scratch.read(`link${ending}`);
    await scratch.call(tool, inputFor(`link${ending}`));
    expect(readlinkSync(scratch.path(`link${ending}`))).toBe(`real${ending}`);
    expect(statSync(scratch.path(`real${ending}`)).mode & 0o7777).toBe(0o751);
    expect(scratch.text(`real${ending}`)).not.toBe(content);
    expect(readdirSync(scratch.folder).sort()).toEqual([`link${ending}`, `real${ending}`]);
  });

  it('may change its own change again, without another Read', async () => {
    const scratch = new Scratch({ [`a${ending}`]: tool === 'Edit' ? 'old old' : content });
    await scratch.read(`a${ending}`);
    const again = tool === 'Edit' ? { replace_all: true } : {};
    await scratch.call(tool, { ...inputFor(`a${ending}`), ...again });
    scratch.context.fileState.get(scratch.path(`a${ending}`));
    if (tool === 'Edit') {
      await scratch.call('Edit', { file_path: 'a', old_string: 'new new', new_string: 'old' });
    } else await scratch.call(tool, inputFor(`a${ending}`));
  });
});

describe.skipIf(!canMount())('a full disk', () => {
  it.each(changers)('leaves %s without effect, and nothing half-written', async (tool, inputFor, ending) => {
    const name = `a${ending}`;
    const content = tool === 'NotebookEdit' ? EMPTY_NOTEBOOK : 'old';
    const scratch = new Scratch();
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=755', 'none', scratch.folder]);
    onTestFinished(() => void execFileSync('/bin/umount', [scratch.folder]));
    scratch.put(name, content);
    await scratch.read(name);
    expect(() => scratch.put('filler', 'x'.repeat(100_000))).toThrow(/ENOSPC/);
    await expect(scratch.call(tool, inputFor(name))).rejects.toThrow(/the disk is full/);
    expect(scratch.text(name)).toBe(content);
    expect(readdirSync(scratch.folder).sort()).toEqual([name, 'filler']);
  });
});

/** Only root may mount a disk of limited size. */
function canMount(): boolean {
  if (process.geteuid?.() !== 0 || process.platform !== 'linux') return false;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-mount-'));
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=4k', 'none', folder], { stdio: 'ignore' });
    execFileSync('/bin/umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

describe('a draft left by a crash', () => {
  it('is removed by the next write in its folder, if it is old and ours', async () => {
    const scratch = new Scratch();
    const drafts = {
      old: '.heddle-0123456789ab.tmp',
      young: '.heddle-aaaaaaaaaaaa.tmp',
      foreign: '.heddle-notes.tmp',
      link: '.heddle-bbbbbbbbbbbb.tmp',
    };
    for (const name of [drafts.old, drafts.young, drafts.foreign]) scratch.put(name, 'x');
    symlinkSync('elsewhere', scratch.path(drafts.link));
    const yesterday = Date.now() / 1_000 - 86_400;
    for (const name of [drafts.old, drafts.foreign]) utimesSync(scratch.path(name), yesterday, yesterday);
    lutimesSync(scratch.path(drafts.link), yesterday, yesterday);
    await scratch.write('a', 'x');
    expect(readdirSync(scratch.folder).sort()).toEqual(
      [drafts.young, drafts.link, drafts.foreign, 'a'].sort(),
    );
  });
});

describe('Write', () => {
  it('creates a file with its folders, and reports it', async () => {
    const scratch = new Scratch();
    expect(await scratch.write('a/b/c.txt', 'x')).toBe(`Created ${scratch.path('a/b/c.txt')}.`);
    expect(scratch.text('a/b/c.txt')).toBe('x');
  });

  it('writes through a link to a missing file', async () => {
    const scratch = new Scratch();
    symlinkSync('folder/target', scratch.path('link'));
    await scratch.write('link', 'x');
    expect(lstatSync(scratch.path('link')).isSymbolicLink()).toBe(true);
    expect(scratch.text('folder/target')).toBe('x');
  });

  it('reports that nothing changed', async () => {
    const scratch = new Scratch({ a: 'x' });
    await scratch.read('a');
    expect(await scratch.write('a', 'x')).toMatch(/already has this content/);
  });

  it.each([
    ['CRLF', Buffer.from('a\r\nb\r\n'), 'x\ny\n', Buffer.from('x\r\ny\r\n')],
    ['a byte-order mark', Buffer.from('\ufeffa'), 'x', Buffer.from('\ufeffx')],
    ['UTF-16', Buffer.from('\ufeffa', 'utf16le'), 'é', Buffer.from('\ufeffé', 'utf16le')],
    ['Latin-1', Buffer.from('é', 'latin1'), 'ü', Buffer.from('ü', 'latin1')],
    ['nothing of bad bytes', Buffer.from([0xc3, 0xa9, 0xff]), 'ü', Buffer.from('ü')],
    ['a missing final newline, because it was given', Buffer.from('a\n'), 'b', Buffer.from('b')],
  ])('keeps %s', async (_what, before, content, after) => {
    const scratch = new Scratch({ a: before });
    await scratch.read('a');
    await scratch.write('a', content);
    expect(scratch.bytes('a').equals(after)).toBe(true);
  });

  it('removes the folders it created when it fails', async () => {
    const scratch = new Scratch();
    const name = `a/b/${'x'.repeat(300)}`;
    await expect(scratch.callUnchecked('Write', { file_path: name, content: 'x' })).rejects.toThrow(
      /too long/,
    );
    const controller = new AbortController();
    const deps = { checkpoints: { before: async () => controller.abort() } };
    const aborted = new Scratch({}, { deps, signal: controller.signal });
    await expect(aborted.callUnchecked('Write', { file_path: 'a/b/c', content: 'x' })).rejects.toThrow(
      /Interrupted/,
    );
    expect(readdirSync(scratch.folder)).toEqual([]);
    expect(readdirSync(aborted.folder)).toEqual([]);
  });

  it('rejects half a character', async () => {
    await expect(new Scratch().write('a', '\ud83d')).rejects.toThrow(/half a character/);
  });

  it('writes a file that was read and is gone', async () => {
    const scratch = new Scratch({ a: 'x' });
    await scratch.read('a');
    rmSync(scratch.path('a'));
    expect(await scratch.write('a', 'y')).toMatch(/Created/);
  });

  it('writes nothing in a working directory that is gone, except folders that it creates', async () => {
    const scratch = new Scratch();
    rmSync(scratch.folder, { recursive: true });
    await scratch.write('a', 'x');
    expect(scratch.text('a')).toBe('x');
  });
});

describe('Edit', () => {
  it('edits, and reports the lines', async () => {
    const scratch = new Scratch({ a: 'one\ntwo\n' });
    expect(await scratch.edit('a', { old_string: 'two', new_string: 'TWO' })).toBe(
      `Edited ${scratch.path('a')}: 1 replacement, line 2.`,
    );
    expect(scratch.text('a')).toBe('one\nTWO\n');
  });

  it('makes several edits in one call, all or none', async () => {
    const scratch = new Scratch({ a: 'one\ntwo\n' });
    const first = { old_string: 'one', new_string: '1' };
    const edits = [first, { old_string: 'two', new_string: '2' }];
    expect(await scratch.edit('a', { edits })).toMatch(/2 replacements, lines 1, 2/);
    scratch.put('a', 'one\ntwo\n');
    const bad = [first, { old_string: 'six', new_string: '2' }];
    await expect(scratch.edit('a', { edits: bad })).rejects.toThrow(/Edit 2 of 2/);
    expect(scratch.text('a')).toBe('one\ntwo\n');
  });

  it('creates a file from an empty old_string', async () => {
    const scratch = new Scratch();
    const created = await scratch.call('Edit', { file_path: 'x/a', old_string: '', new_string: 'hi' });
    expect(shown(created)).toMatch(/^Created/);
    expect(scratch.text('x/a')).toBe('hi');
  });

  it.each([
    [
      'a missing file',
      { file_path: 'none', old_string: 'a', new_string: 'b' },
      /There is no file none to edit/,
    ],
    ['no strings', { file_path: 'a' }, /give either old_string and new_string, or edits/],
    ['half of them', { file_path: 'a', old_string: 'x' }, /give either/],
    ['no edits', { file_path: 'a', edits: [] }, /Too small|expected array/],
    [
      'both forms',
      { file_path: 'a', old_string: 'x', new_string: 'y', edits: [{ old_string: 'x', new_string: 'y' }] },
      /give either/,
    ],
  ])('rejects %s', async (_what, input, reason) => {
    await expect(new Scratch({ a: 'x' }).call('Edit', input)).rejects.toThrow(reason);
  });

  it('rejects a binary file', async () => {
    const scratch = new Scratch({
      'a.png': Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0', 'latin1'),
    });
    await scratch.read('a.png');
    await expect(
      scratch.call('Edit', { file_path: 'a.png', old_string: 'a', new_string: 'b' }),
    ).rejects.toThrow(/binary file/);
  });

  it.each([
    ['Edit', { old_string: 'a', new_string: 'b' }],
    ['Write', { content: 'b' }],
  ])('%s does not advise to read a binary file', async (tool, input) => {
    const scratch = new Scratch({ data: Buffer.from([0, 1, 2, 255]) });
    await expect(scratch.call(tool, { file_path: 'data', ...input })).rejects.toThrow(
      /is a binary file, and this tool works on text/,
    );
  });

  it.each([
    ['UTF-16LE', Buffer.from('\ufeffa é b', 'utf16le'), Buffer.from('\ufeffa ü b', 'utf16le')],
    [
      'UTF-16BE',
      Buffer.from('\ufeffa é b', 'utf16le').swap16(),
      Buffer.from('\ufeffa ü b', 'utf16le').swap16(),
    ],
    ['Latin-1', Buffer.from('a é b', 'latin1'), Buffer.from('a ü b', 'latin1')],
    ['a byte-order mark', Buffer.from('\ufeffa é b'), Buffer.from('\ufeffa ü b')],
    [
      'bad bytes elsewhere',
      Buffer.concat([Buffer.from('a é b'), Buffer.from([0xff, 0xfe])]),
      Buffer.concat([Buffer.from('a ü b'), Buffer.from([0xff, 0xfe])]),
    ],
  ])('keeps %s', async (_what, before, after) => {
    const scratch = new Scratch({ a: before });
    await scratch.edit('a', { old_string: 'é', new_string: 'ü' });
    expect(scratch.bytes('a').equals(after)).toBe(true);
  });

  it('queues parallel edits of one file under any name', async () => {
    const letters = 'abcdefghij'.split('');
    const scratch = new Scratch({ a: letters.join('\n') });
    symlinkSync('a', scratch.path('b'));
    await scratch.read('a');
    await Promise.all(
      letters.map((letter, index) =>
        scratch.callUnchecked('Edit', {
          file_path: index % 2 === 0 ? 'a' : 'b',
          old_string: letter,
          new_string: letter.toUpperCase(),
        }),
      ),
    );
    expect(scratch.text('a')).toBe('A\nB\nC\nD\nE\nF\nG\nH\nI\nJ');
  });
});

describe('A full disk', () => {
  it.each(['Write', 'Edit'])('%s changes nothing, reports it and leaves no draft', (tool) => {
    const scratch = new Scratch({ a: 'old' });
    // A file size limit of the process is the nearest thing to a full disk that needs no privileges.
    const script = `
      import { createFileTools } from ${JSON.stringify(path.join(import.meta.dirname, '../create-tools.ts'))};
      const files = new Map();
      const fileState = { get: (p) => files.get(p), set: (p, s) => void files.set(p, s), paths: () => [...files.keys()] };
      const context = { workingDirectory: process.argv[1], signal: new AbortController().signal, fileState, toolUseId: 't' };
      const tool = (name) => createFileToolsOnce.find((t) => t.name === name);
      const createFileToolsOnce = createFileTools();
      await tool('Read').call({ file_path: 'a' }, context, () => {});
      const big = 'x'.repeat(1_000_000);
      const input = { Write: { file_path: 'a', content: big }, Edit: { file_path: 'a', old_string: 'old', new_string: big } };
      try { await tool('${tool}').call(input.${tool}, context, () => {}); console.log('written'); }
      catch (thrown) { console.log(thrown.message); }`;
    const output = execFileSync(
      'bash',
      [
        '-c',
        'ulimit -f 100; exec "$0" --input-type=module -e "$1" "$2"',
        process.execPath,
        script,
        scratch.folder,
      ],
      { encoding: 'utf8' },
    );
    expect(output).toMatch(
      /could not be written, and is as it was: it would be larger than this process may write/,
    );
    expect(scratch.text('a')).toBe('old');
    expect(readdirSync(scratch.folder)).toEqual(['a']);
  });
});
