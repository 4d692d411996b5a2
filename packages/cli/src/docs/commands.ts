/** The commands that the documentation shows: the lines of its `sh` blocks. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface DocumentedCommand {
  readonly line: number;
  readonly command: string;
}

export interface Document {
  readonly name: string;
  readonly commands: readonly DocumentedCommand[];
}

export function documentsIn(folder: string): Document[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => ({ name, commands: commandsOf(readFileSync(path.join(folder, name), 'utf8')) }));
}

function commandsOf(text: string): DocumentedCommand[] {
  let isShell = false;
  return text.split('\n').flatMap((line, index) => {
    if (line.startsWith('```')) {
      isShell = line === '```sh';
      return [];
    }
    const command = line.trim();
    return isShell && command !== '' && !command.startsWith('#') ? [{ line: index + 1, command }] : [];
  });
}
