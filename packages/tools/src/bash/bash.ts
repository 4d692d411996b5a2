/** Bash: a command in a process group of its own. */
import type { Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import { runCommand, type CommandEnd } from './process.ts';
import type { BashInput } from './schema.ts';

interface BashData extends CommandEnd {
  readonly command: string;
}

const DEFAULT_TIMEOUT_MS = 120_000;

export const bashTool: Tool<BashInput, BashData> = {
  name: 'Bash',
  description: 'Runs a shell command in the working directory and shows its output and exit code.',
  inputJSONSchema: inputSchemas.Bash,
  inputSchema: async () => (await import('./schema.ts')).bashInput,
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  failureCancelsSiblings: true,
  maxResultSize: 30_000,
  compactable: true,
  interruptBehavior: 'cancel',

  async call({ command, timeout = DEFAULT_TIMEOUT_MS }, context, onProgress) {
    const end = await runCommand({
      command,
      cwd: context.workingDirectory,
      timeoutMs: timeout,
      signal: context.signal,
      onOutput: (chunk) => onProgress({ output: chunk }),
    });
    return { data: { command, ...end } };
  },

  toResult({ output, omitted, exit }) {
    const gap = omitted > 0 ? `\n… ${omitted} characters left out …\n` : '';
    const shown = output.head + gap + output.tail;
    const isError = exit.kind !== 'exited' || exit.code !== 0;
    const content = [shown.trimEnd(), ending(exit)].filter((part) => part !== '').join('\n');
    return { content: content === '' ? '(no output)' : content, isError };
  },
};

function ending(exit: CommandEnd['exit']): string {
  switch (exit.kind) {
    case 'exited':
      return exit.code === 0 ? '' : `Exit code ${exit.code}`;
    case 'signalled':
      return `Ended by ${exit.signal}`;
    case 'timed_out':
      return `Ended after its time limit of ${exit.afterMs} ms`;
    case 'aborted':
      return 'Interrupted; what is shown above is all it wrote';
    case 'not_started':
      return `The shell could not be started: ${exit.reason}`;
  }
}
