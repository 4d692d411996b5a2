/** Commands that start the test servers. */
import path from 'node:path';

export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
}

export function testServer(name = 'test', ...flags: readonly string[]): ServerCommand {
  return {
    command: process.execPath,
    args: [path.join(import.meta.dirname, 'run-server.ts'), name, ...flags],
  };
}

/** `start`: the way in which its start fails. Without one, its tools misbehave. */
export function misbehavingServer(
  start?: 'silent' | 'exits' | 'exits on probe' | 'rejects' | 'endless' | 'stubborn',
): ServerCommand {
  const file = path.join(import.meta.dirname, 'run-misbehaving-server.ts');
  return { command: process.execPath, args: [file, ...(start === undefined ? [] : [start])] };
}
