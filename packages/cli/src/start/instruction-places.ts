/** The places where the instruction files of a session are, as command line and settings select them. */
import os from 'node:os';
import path from 'node:path';
import { type AgentOptions, unaskedFilesOf } from '@heddle/agent';
import type { InstructionPlaces } from '@heddle/agent/instructions';
import { managedDir, projectTop, SCOPES, trustIn } from '@heddle/agent/settings';
import type { RunOptions } from '../arguments/arguments.ts';

export async function instructionPlaces(
  { settingSources, bare }: Pick<RunOptions, 'settingSources' | 'bare'>,
  options: Pick<AgentOptions, 'cwd' | 'configDirs' | 'rules'>,
  excludes: readonly string[] = [],
): Promise<InstructionPlaces> {
  const { cwd, configDirs = [] } = options;
  return {
    cwd,
    top: bare ? undefined : projectTop(cwd),
    // Heddle's own folder is first in the settings, and last here: a later file wins.
    configDirs: configDirs.toReversed(),
    managedDir: bare ? undefined : managedDir(),
    sources: bare ? [] : (settingSources ?? SCOPES),
    isExcluded: excludes.length === 0 ? undefined : await excluding(excludes),
    isTrusted: trustIn({ home: os.homedir(), env: process.env }),
    isDenied: await unaskedFilesOf(options, cwd)(),
  };
}

/** Patterns match absolute paths. A pattern without a slash matches the name of a file in any folder. */
async function excluding(patterns: readonly string[]): Promise<(file: string) => boolean> {
  const { filePattern } = await import('@heddle/tools/patterns');
  const compiled = patterns.map((pattern) => filePattern(pattern));
  return (file) => {
    const bare = file.split(path.sep).join('/').replace(/^\//, '');
    return compiled.some((pattern) => pattern.matches(bare));
  };
}
