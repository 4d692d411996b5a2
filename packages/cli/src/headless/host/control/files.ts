/** Control requests about files: read one, mark one as read, find names, add a folder. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Agent, LivePermissions } from '@heddle/agent';
import { errorMessage } from '@heddle/core';
import { realTarget } from '@heddle/tools/files';
import { type HostLine, textIn } from '../json.ts';
import { controlFailure, type ControlHandlers, type ControlReply, controlSuccess } from './reply.ts';

export interface FileDeps {
  readonly agent: Agent;
  readonly permissions: LivePermissions;
  /** Why the Read tool may not read this file, or undefined. */
  readonly objectionToRead: (file: string) => Promise<string | undefined>;
}

export function fileHandlers(deps: FileDeps): ControlHandlers {
  return {
    read_file: (request) => readHostFile(request, deps),
    seed_read_state: (request) => seedReadState(request, deps),
    file_suggestions: ({ query }) => suggestFiles(textIn(query) ?? ''),
    register_repo_root: ({ directory }) => addFolder(textIn(directory), deps),
  };
}

/** A file that changed since then is left alone: the model must read it again before it edits it. */
async function seedReadState(
  { path: asked, mtime }: HostLine,
  { agent, objectionToRead }: FileDeps,
): Promise<ControlReply> {
  const name = textIn(asked);
  if (name === undefined || name === '' || typeof mtime !== 'number')
    return controlFailure('seed_read_state needs a path and an mtime in milliseconds.');
  const file = path.resolve(name);
  const objection = await objectionToRead(file);
  if (objection !== undefined) return controlFailure(objection);
  await agent.markRead(file, mtime);
  return controlSuccess();
}

const MAX_SUGGESTIONS = 15;

/** The names that a user would be offered after an `@`. */
async function suggestFiles(query: string): Promise<ControlReply> {
  const { FileIndex } = await import('../../../rich/file-index.ts');
  const names = await new FileIndex(process.cwd(), () => undefined).find(query, MAX_SUGGESTIONS);
  const suggestions = names.map((name) => ({ path: name, isDirectory: name.endsWith('/') }));
  return controlSuccess({ suggestions });
}

/** Only folders inside those that the program was started with. */
function addFolder(directory: string | undefined, { permissions }: FileDeps): ControlReply {
  if (directory === undefined) return controlFailure('register_repo_root needs a directory.');
  // A link of the project could lead elsewhere.
  const folder = realTarget(path.resolve(directory));
  const places = [process.cwd(), ...permissions.directories].map((place) => realTarget(place));
  if (places.includes(folder)) return controlFailure(`${folder} is a working directory already.`);
  if (!places.some((place) => folder.startsWith(`${place}${path.sep}`)))
    return controlFailure(`${folder} is outside the working directories.`);
  permissions.apply([{ type: 'addDirectories', directories: [folder], destination: 'session' }]);
  return controlSuccess();
}

const MAX_FILE_BYTES = 1_000_000;

async function readHostFile(
  { path: asked, max_bytes: limit, encoding }: HostLine,
  { objectionToRead }: FileDeps,
): Promise<ControlReply> {
  const name = textIn(asked);
  if (name === undefined || name === '') return controlFailure('read_file needs a path.');
  const file = path.resolve(name);
  const objection = await objectionToRead(file);
  if (objection !== undefined) return controlFailure(objection);
  const most = typeof limit === 'number' && limit >= 0 ? Math.min(limit, MAX_FILE_BYTES) : MAX_FILE_BYTES;
  try {
    const { bytes, truncated } = await readStart(file, Math.floor(most));
    const cut = truncated ? { truncated } : {};
    if (encoding === 'base64')
      return controlSuccess({
        contents: bytes.toString('base64'),
        absPath: file,
        encoding: 'base64',
        ...cut,
      });
    const contents = bytes.toString('utf8');
    return controlSuccess({ contents, absPath: file, lossy: !Buffer.from(contents).equals(bytes), ...cut });
  } catch (thrown) {
    return controlFailure(errorMessage(thrown));
  }
}

async function readStart(
  file: string,
  limit: number,
): Promise<{ readonly bytes: Buffer; readonly truncated: boolean }> {
  // Opening a pipe for reading would wait for a writer.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const about = await handle.stat();
    // A pipe or a device may never end.
    if (!about.isFile()) throw new Error(`${file} is not a regular file.`);
    const buffer = Buffer.alloc(Math.min(limit, about.size));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return { bytes: buffer.subarray(0, bytesRead), truncated: about.size > bytesRead };
  } finally {
    await handle.close();
  }
}
