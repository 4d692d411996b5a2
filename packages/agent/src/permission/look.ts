/** The world as it is on this machine. Looked at anew for each call: files and links change while an agent works. */
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { readGitFacts } from '@heddle/tools/shell';
import type { World } from './world.ts';

export interface Surroundings {
  readonly root: string;
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly home: string;
  readonly configDirs: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export async function lookAround(
  surroundings: Surroundings,
  { tool, input }: { readonly tool: string; readonly input: JsonObject },
  signal?: AbortSignal,
): Promise<World> {
  const command = tool === 'Bash' ? input['command'] : undefined;
  // Asking git costs a process: only where the answer is needed.
  const asksGit = typeof command === 'string' && /\bgit\b/.test(command);
  return {
    ...surroundings,
    foldsCase: process.platform === 'darwin' || process.platform === 'win32',
    realpath: remembered(realPath),
    exists: existsSync,
    list: remembered(namesIn),
    git: asksGit ? await readGitFacts(surroundings.cwd, surroundings.environment, signal) : undefined,
  };
}

/** One decision asks for the same folders again and again. */
function remembered<Answer>(ask: (path: string) => Answer): (path: string) => Answer {
  const answers = new Map<string, { readonly answer: Answer }>();
  return (file) => {
    const known = answers.get(file) ?? { answer: ask(file) };
    answers.set(file, known);
    return known.answer;
  };
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    const isNone =
      thrown instanceof Error && 'code' in thrown && /^(ENOENT|ENOTDIR)$/.test(String(thrown.code));
    return isNone ? [] : undefined;
  }
}

/** As many links as a kernel follows before it gives up. */
const MOST_LINKS = 40;

/** What does not exist yet is resolved as far as it does; a link to nothing still points somewhere. */
function realPath(file: string, links = 0): string {
  try {
    return realpathSync.native(file);
  } catch {
    const folder = path.dirname(file);
    if (folder === file || links > MOST_LINKS) return file;
    const target = linkTarget(file);
    if (target !== undefined) return realPath(path.resolve(folder, target), links + 1);
    return path.join(realPath(folder, links), path.basename(file));
  }
}

function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
