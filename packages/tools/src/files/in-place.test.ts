/** Files that cannot be replaced are written in place. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeAtomically } from './atomic.ts';
import { PinnedPlace } from './pinned-place.ts';
import { runUnprivileged, Scratch, temporaryFolder } from './test/scratch.ts';

const isolated = process.geteuid?.() === 0 ? ['-m'] : ['-rm'];
const canMount = spawnSync('unshare', [...isolated, 'mount', '--bind', '/tmp', '/tmp']).status === 0;

/** Reads the file, then runs the tool, in a separate process: a mount affects everything in it. */
const SCRIPT = `
  import { createFileTools } from ${JSON.stringify(path.join(import.meta.dirname, '../create-tools.ts'))};
  const files = new Map();
  const fileState = { get: (p) => files.get(p), set: (p, s) => void files.set(p, s), paths: () => [...files.keys()] };
  const context = { workingDirectory: process.argv[1], signal: new AbortController().signal, fileState, toolUseId: 't' };
  const tools = createFileTools();
  const tool = (name) => tools.find((t) => t.name === name);
  await tool('Read').call({ file_path: 'mounted' }, context, () => {});
  await tool('Edit').call({ file_path: 'mounted', old_string: 'old', new_string: 'new' }, context, () => {});
  await tool('Write').call({ file_path: 'mounted', content: 'newer' }, context, () => {});
  console.log('done');`;

describe('A file that cannot be replaced', () => {
  it.runIf(canMount)('is written in place if it is mounted', () => {
    const scratch = new Scratch({ mounted: 'in the way', 'elsewhere/source': 'old text' });
    const mount =
      'mount --bind "$1/elsewhere/source" "$1/mounted" && exec "$2" --input-type=module -e "$3" "$1"';
    const given = [scratch.folder, process.execPath, SCRIPT];
    const output = execFileSync('unshare', [...isolated, 'sh', '-c', mount, 'sh', ...given], {
      encoding: 'utf8',
    });
    expect(output).toBe('done\n');
    expect(scratch.text('elsewhere/source')).toBe('newer');
    expect(scratch.text('mounted')).toBe('in the way');
    expect(readdirSync(scratch.folder)).toEqual(['elsewhere', 'mounted']);
  });

  it('is written in place if a sticky folder protects it', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'a');
    writeFileSync(file, 'old');
    chmodSync(file, 0o666);
    const { ino } = statSync(file);
    const old = { bytes: Buffer.from('old'), mode: 0o666, uid: 0, gid: 0 };
    const write = async (): Promise<void> => {
      const place = PinnedPlace.open(file);
      await writeAtomically({ place, bytes: Buffer.from('n'), old, signal: new AbortController().signal });
      place.close();
    };
    await runUnprivileged({ folder, mode: 0o1777 }, write);
    expect(statSync(file).size).toBe(1);
    if (process.getuid?.() === 0) expect(statSync(file).ino).toBe(ino);
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('is unchanged if it has another name', async () => {
    const scratch = new Scratch({ a: 'old' });
    const other = path.join(temporaryFolder(), 'other');
    chmodSync(path.join(scratch.folder, 'a'), 0o666);
    linkSync(path.join(scratch.folder, 'a'), other);
    await scratch.read('a');
    await runUnprivileged({ folder: scratch.folder, mode: 0o555 }, async () => {
      await expect(scratch.write('a', 'new')).rejects.toThrow(/another name on the disk/);
    });
    expect(readFileSync(other, 'utf8')).toBe('old');
    expect(readdirSync(scratch.folder)).toEqual(['a']);
  });

  it('is unchanged if neither its folder nor the file itself is writable', async () => {
    const scratch = new Scratch({ a: 'old' });
    await scratch.read('a');
    await runUnprivileged(scratch, async () => {
      if (process.getuid?.() !== 0) return;
      await expect(scratch.write('a', 'new')).rejects.toThrow(/permission denied/);
      await expect(scratch.write('b', 'new')).rejects.toThrow(/could not be written.*permission denied/);
    });
    expect(scratch.text('a')).toBe('old');
    expect(readdirSync(scratch.folder)).toEqual(['a']);
  });
});
