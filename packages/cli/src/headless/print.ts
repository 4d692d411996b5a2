/** `heddle -p`: prompts in, answers out, and an exit code that says how it ended. */
import { randomUUID } from 'node:crypto';
import { type Agent, failedStart, type Prompt, type SdkMessage } from '@heddle/agent';
import type { PrintCommand } from '../arguments.ts';
import { remembering } from '../permissions/remember.ts';
import { agentOptions } from './agent-options.ts';
import { createControl } from './host/control.ts';
import { createHost, type Host, singlePrompt } from './host/host.ts';
import { modelSetup } from './model-options.ts';
import { readPipe } from './pipe.ts';
import { createOutput, type Output } from './output.ts';
import { startAgent } from './start.ts';
import { harmless } from '../terminal/harmless.ts';
import { watchSignals } from './signals.ts';

export async function print(command: PrintCommand): Promise<number> {
  const output = createOutput(command.outputFormat);
  if (command.inputFormat === 'stream-json') {
    const host = createHost(output);
    // However it ends: a host that keeps its side open would keep the program alive.
    return converse(command, output, host).finally(() => host.end?.());
  }
  const piped = await readPipe(command.prompt !== undefined);
  const prompt = [command.prompt, piped]
    .filter((part) => part !== undefined && part.trim() !== '')
    .join('\n\n');
  if (prompt === '') return usage('there is no prompt: give one as an argument or through a pipe');
  return converse(command, output, singlePrompt(prompt));
}

/** Runs prompt after prompt in one session. The last result decides the exit code. */
async function converse(command: PrintCommand, output: Output, host: Host): Promise<number> {
  const options = await agentOptions(command);
  if (!options.ok) return usage(options.message);
  const ask = command.asksHost && host.ask ? remembering(host.ask) : undefined;
  const starting = await startAgent(command, options.options, {
    agent: {
      replayUserMessages: command.replayUserMessages,
      ...(ask ? { canUseTool: ask } : {}),
      ...(host.takeQueued ? { takeQueued: host.takeQueued } : {}),
    },
  });
  if (!starting.ok) {
    const { message, sessionId } = starting;
    // Whoever reads text reads it there already.
    if (command.outputFormat !== 'text') process.stderr.write(`heddle: ${harmless(message)}\n`);
    await output.write(failedStart(message, { uuid: randomUUID(), session_id: sessionId }));
    return 1;
  }
  const { agent, notices, close } = starting.started;
  for (const notice of notices) process.stderr.write(`heddle: ${harmless(notice)}\n`);
  const stop = (reason: string): void => {
    agent.abort(reason);
    host.end?.();
    output.hurry();
  };
  const signals = watchSignals(stop);
  output.onClosed(() => stop('output closed'));
  const control = createControl({
    agent,
    requestOptions: options.options.requestOptions,
    model: async (name) =>
      name === undefined ? { ok: true, options: options.model } : modelSetup(name, command.record),
    write: (line) => output.write(line),
  });
  host.serve?.(control);
  let code = 0;
  try {
    for await (const prompt of host.prompts) {
      if (signals.exitCode() !== undefined || output.closed) break;
      code = prompt.isQuiet ? add(agent, prompt) : await answer(agent.submit(prompt), output);
    }
    if (control.refusal !== undefined) {
      await output.write(failedStart(control.refusal, { uuid: randomUUID(), session_id: agent.sessionId }));
      code = 1;
    }
    return signals.exitCode() ?? (output.closed ? 1 : code);
  } finally {
    await close();
    signals.release();
    if (output.stuck) process.exit(signals.exitCode() ?? 1);
  }
}

/** Joins the conversation; the model is asked with the next prompt. */
function add(agent: Agent, prompt: Prompt): number {
  const added = agent.add(prompt);
  if (!added.ok) process.stderr.write(`heddle: ${harmless(added.message)}\n`);
  return added.ok ? 0 : 1;
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
  process.stderr.write(`heddle: ${harmless(message)}\n`);
  return 2;
}
