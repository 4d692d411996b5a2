/** `heddle -p`: prompts in, answers out, and an exit code that says how it ended. */
import { randomUUID } from 'node:crypto';
import { createAgent, failedStart, type SdkMessage } from '@heddle/agent';
import type { PrintCommand } from '../arguments.ts';
import { remembering } from '../permissions/remember.ts';
import { agentOptions, offered } from './agent-options.ts';
import { createHost, type Host } from './host.ts';
import { readPipe } from './pipe.ts';
import { createOutput, type Output } from './output.ts';
import { openChosen } from './session.ts';
import { sessionTools } from './tools.ts';
import { harmless } from '../terminal/harmless.ts';
import { watchSignals } from './signals.ts';

export async function print(command: PrintCommand): Promise<number> {
  const output = createOutput(command.outputFormat);
  if (command.inputFormat === 'stream-json') return converse(command, output, createHost(output));
  const piped = await readPipe(command.prompt !== undefined);
  const prompt = [command.prompt, piped]
    .filter((part) => part !== undefined && part.trim() !== '')
    .join('\n\n');
  if (prompt === '') return usage('there is no prompt: give one as an argument or through a pipe');
  return converse(command, output, { prompts: [{ content: prompt }] });
}

/** Runs prompt after prompt in one session. The last result decides the exit code. */
async function converse(
  command: PrintCommand,
  output: Output,
  host: Pick<Host, 'prompts'> & Partial<Host>,
): Promise<number> {
  const options = await agentOptions(command);
  if (!options.ok) return usage(options.message);
  const opened = openChosen(command.session);
  if (!opened.ok) {
    process.stderr.write(`heddle: ${opened.message}\n`);
    await output.write(failedStart(opened.message, { uuid: randomUUID(), session_id: opened.sessionId }));
    return 1;
  }
  const { session } = opened;
  for (const notice of session.notices) process.stderr.write(`heddle: ${notice}\n`);
  const ask = command.asksHost && host.ask ? remembering(host.ask) : undefined;
  const { tools, ended, onAccepted, dispose } = await sessionTools(session);
  for (const { command: left } of ended) {
    process.stderr.write(`heddle: ended what an earlier run had left running: ${harmless(left)}\n`);
  }
  const agent = createAgent({
    ...options.options,
    session,
    tools: tools.filter(({ name }) => offered(name, command, options.options.rules)),
    onAccepted,
    ...(ask ? { canUseTool: ask } : {}),
  });
  const stop = (reason: string): void => {
    agent.abort(reason);
    host.end?.();
    output.hurry();
  };
  const signals = watchSignals(stop);
  output.onClosed(() => stop('output closed'));
  // Not the abort reason of somebody who sent a new message: the model is told that it was interrupted.
  host.onInterrupt?.(() => agent.abort('interrupted by the host'));
  let code = 0;
  try {
    for await (const prompt of host.prompts) {
      if (signals.exitCode() !== undefined || output.closed) break;
      code = await answer(agent.submit(prompt), output);
    }
    return signals.exitCode() ?? (output.closed ? 1 : code);
  } finally {
    await dispose();
    signals.release();
    host.end?.();
    session.journal.close();
    if (output.stuck) process.exit(signals.exitCode() ?? 1);
  }
}

async function answer(lines: AsyncIterable<SdkMessage>, output: Output): Promise<number> {
  let code = 1;
  for await (const line of lines) {
    await output.write(line);
    if (line.type === 'result') code = line.is_error ? 1 : 0;
  }
  return code;
}

function usage(message: string): number {
  process.stderr.write(`heddle: ${message}\n`);
  return 2;
}
