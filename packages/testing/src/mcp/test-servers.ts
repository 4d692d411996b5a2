/** Commands that start the test servers. */
import path from 'node:path';

export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The client starts its servers with few variables. A server that is compiled once per test run starts four times as fast. */
function serverCommand(file: string, ...args: string[]): ServerCommand {
  const compiled = process.env['NODE_COMPILE_CACHE'];
  return {
    command: process.execPath,
    args: [path.join(import.meta.dirname, file), ...args],
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled },
  };
}

export function testServer(name = 'test', ...flags: readonly string[]): ServerCommand {
  return serverCommand('run-server.ts', name, ...flags);
}

/** `start`: the way in which its start fails. Without one, its tools misbehave. */
export function misbehavingServer(
  start?: 'silent' | 'exits' | 'exits on probe' | 'rejects' | 'endless' | 'stubborn',
): ServerCommand {
  return serverCommand('run-misbehaving-server.ts', ...(start === undefined ? [] : [start]));
}
