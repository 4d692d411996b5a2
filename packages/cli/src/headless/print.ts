/** `heddle -p`: prompts in, answers out, and an exit code that says how it ended. */
import { randomUUID } from 'node:crypto';
import { failedStart } from '@heddle/agent';
import type { PrintCommand } from '../arguments.ts';
import { remembering } from '../permissions/remember.ts';
import { agentOptions } from './agent-options.ts';
import { createHost, type Host, singlePrompt } from './host/host.ts';
import { serve } from './host/service.ts';
import { modelSetup } from './model-options.ts';
import { readPipe } from './pipe.ts';
import { createOutput, type Output } from './output/output.ts';
import { LOCAL_COMMANDS } from './slash/commands.ts';
import { startAgent } from './start.ts';
import { talk } from './talk.ts';
import { harmless } from '../terminal/harmless.ts';
import { watchSignals } from './signals.ts';
import { Waiting } from './output/waiting.ts';

export async function print(command: PrintCommand): Promise<number> {
  const output = createOutput(command.outputFormat);
  if (command.inputFormat === 'stream-json') {
    const host = createHost(output, command.verbatim);
    // However it ends: a host that keeps its side open would keep the program alive.
    return converse(command, output, host).finally(() => host.end?.());
  }
  const piped = await readPipe(command.prompt !== undefined);
  const prompt = [command.prompt, piped]
    .filter((part) => part !== undefined && part.trim() !== '')
    .join('\n\n');
  if (piped?.includes('\0'))
    return usage('what came through the pipe is no text; name the file in the prompt');
  if (prompt === '') return usage('there is no prompt: give one as an argument or through a pipe');
  return converse(command, output, singlePrompt(prompt, command.verbatim));
}

/** Signals are watched from here on: what ends the program before it has begun gets its result, too. */
async function converse(command: PrintCommand, output: Output, host: Host): Promise<number> {
  const ending = new AbortController();
  const signals = watchSignals((reason) => ending.abort(reason));
  output.onClosed(() => ending.abort('output closed'));
  try {
    const code = await begin(command, output, host, ending.signal);
    return signals.exitCode() ?? (output.closed ? 1 : code);
  } finally {
    signals.release();
    if (output.stuck) process.exit(signals.exitCode() ?? 1);
  }
}

async function begin(
  command: PrintCommand,
  output: Output,
  host: Host,
  ending: AbortSignal,
): Promise<number> {
  const options = await agentOptions(command);
  if (!options.ok) return usage(options.message);
  const ask = command.asksHost && host.ask ? remembering(host.ask) : undefined;
  const starting = await startAgent(command, options.options, {
    agent: {
      replayUserMessages: command.replayUserMessages,
      slashCommands: command.verbatim ? [] : OWN_COMMANDS,
      ...(ask ? { canUseTool: ask } : {}),
      ...(host.takeQueued ? { takeQueued: host.takeQueued } : {}),
    },
  });
  if (!starting.ok) {
    const { message, sessionId } = starting;
    // Whoever reads text reads it there already.
    if (command.outputFormat !== 'text') warn(message);
    await output.write(failedStart(message, { uuid: randomUUID(), session_id: sessionId }));
    return 1;
  }
  const { agent, notices, listen, close } = starting.started;
  notices.forEach(warn);
  const waiting = new Waiting(warn);
  if (command.outputFormat === 'text') listen((event) => waiting.hear(event));
  const service = serve(host, starting.started, {
    options: options.options,
    firstModel: options.model,
    model: (name) => modelSetup(name, { record: command.record, stated: options.options.stated ?? {} }),
    write: (line) => output.write(line),
  });
  try {
    return await talk({ agent, output, host, ending, service });
  } finally {
    waiting.end();
    service?.end();
    await close();
  }
}

/** `/compact` is the engine's. */
const OWN_COMMANDS = LOCAL_COMMANDS.map(({ name }) => name).filter((name) => name !== 'compact');

function usage(message: string): number {
  warn(message);
  return 2;
}

function warn(text: string): void {
  process.stderr.write(`heddle: ${harmless(text)}\n`);
}
