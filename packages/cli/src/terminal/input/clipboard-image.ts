/** Stores the image of the clipboard in a file. Each system has its own program that reads the clipboard. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findProgram, ownEnvironment } from '@heddle/tools';
import { makeTemporaryFolder, removeTemporaryFolder } from '@heddle/tools/files';

type Variables = Readonly<Record<string, string | undefined>>;

export type ClipboardImage =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly message: string };

/** A program that writes the image as PNG to its output, or to the file. */
export interface ClipboardReader {
  readonly program: string;
  readonly argv: readonly string[];
  readonly writes: 'output' | 'file';
}

const DEADLINE_MS = 5_000;
const MAX_BYTES = 50 * 2 ** 20;
const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** Returns the programs to try, the best first. `file`: a path for programs that write a file. */
export function clipboardReaders(
  platform: NodeJS.Platform,
  env: Variables,
  file: string,
): readonly ClipboardReader[] {
  const script =
    'Add-Type -AssemblyName System.Windows.Forms; $i = [Windows.Forms.Clipboard]::GetImage(); ' +
    "if ($i) { $s = New-Object IO.MemoryStream; $i.Save($s, 'Png'); " +
    '$o = [Console]::OpenStandardOutput(); $o.Write($s.ToArray(), 0, $s.Length) }';
  const powershell: ClipboardReader = {
    program: 'powershell.exe',
    argv: ['-NoProfile', '-Sta', '-Command', script],
    writes: 'output',
  };
  if (platform === 'win32') return [powershell];
  if (platform === 'darwin') {
    const lines = [
      'set image to the clipboard as «class PNGf»',
      `set target to open for access POSIX file "${file}" with write permission`,
      'write image to target',
      'close access target',
    ];
    return [
      { program: 'pngpaste', argv: ['-'], writes: 'output' },
      { program: 'osascript', argv: lines.flatMap((line) => ['-e', line]), writes: 'file' },
    ];
  }
  return [
    ...(env['WSL_DISTRO_NAME'] === undefined ? [] : [powershell]),
    ...(env['WAYLAND_DISPLAY']
      ? [{ program: 'wl-paste', argv: ['--type', 'image/png'], writes: 'output' } as const]
      : []),
    ...(env['DISPLAY']
      ? [
          {
            program: 'xclip',
            argv: ['-selection', 'clipboard', '-t', 'image/png', '-o'],
            writes: 'output',
          } as const,
        ]
      : []),
  ];
}

/** Never rejects. The file exists until the program ends. */
export async function clipboardImage(platform: NodeJS.Platform, env: Variables): Promise<ClipboardImage> {
  const file = newFile();
  const readers = clipboardReaders(platform, env, file);
  if (readers.length === 0)
    return refuse('This terminal has no clipboard. Type @ and the path of an image instead.');
  let isInstalled = false;
  for (const reader of readers) {
    const read = await readImage(reader, file);
    if (read === 'stored') return { ok: true, file };
    isInstalled ||= read === 'no image';
  }
  if (isInstalled)
    return refuse('The clipboard contains no image. Paste text with the key of your terminal.');
  const programs = readers.map(({ program }) => program).join(' or ');
  return refuse(`Images are pasted with ${programs}, which is not installed.`);
}

function refuse(message: string): ClipboardImage {
  return { ok: false, message };
}

function readImage(
  { program, argv, writes }: ClipboardReader,
  file: string,
): Promise<'stored' | 'no image' | 'no program'> {
  const { promise, resolve } = Promise.withResolvers<'stored' | 'no image' | 'no program'>();
  const options = {
    env: ownEnvironment(),
    encoding: 'buffer',
    timeout: DEADLINE_MS,
    maxBuffer: MAX_BYTES,
  } as const;
  const found = findProgram(process.env['PATH'], program);
  if (found === undefined) return Promise.resolve('no program');
  execFile(found, [...argv], options, (error, output) => {
    try {
      if (!error && writes === 'output' && output.length > 0) writeFileSync(file, output, { mode: 0o600 });
      const isImage = !error && readFileSync(file).subarray(0, PNG_START.length).equals(PNG_START);
      return resolve(isImage ? 'stored' : 'no image');
    } catch {
      return resolve('no image');
    }
  });
  return promise;
}

let folder: string | undefined;
let count = 0;

/** Returns a path in a folder of this process. The folder is removed at the end. */
function newFile(): string {
  if (folder === undefined) {
    const made = makeTemporaryFolder('images');
    process.once('exit', () => removeTemporaryFolder(made));
    folder = made;
  }
  count++;
  return path.join(folder, `image-${count}.png`);
}
