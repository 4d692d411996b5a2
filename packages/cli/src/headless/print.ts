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
  const control = createControl({
    agent,
    requestOptions: options.options.requestOptions,
    model: async (name) =>
      name === undefined ? { ok: true, options: options.model } : modelSetup(name, command.record),
    write: (line) => output.write(line),
  });
  host.serve?.(control);
  try {
    return await talk(agent, output, host, ending, () => control.refusal);
  } finally {
    await close();
  }
}

/** Runs prompt after prompt in one session. The last result decides the exit code. */
async function talk(
  agent: Agent,
  output: Output,
  host: Host,
  ending: AbortSignal,
  refusal: () => string | undefined,
): Promise<number> {
  const stop = (): void => {
    agent.abort(ending.reason);
    host.end?.();
    output.hurry();
  };
  if (ending.aborted) stop();
  else ending.addEventListener('abort', stop, { once: true });
  let code: number | undefined;
  for await (const prompt of host.prompts) {
    if (ending.aborted) break;
    code = prompt.isQuiet ? add(agent, prompt) : await answer(agent.submit(prompt), output);
  }
  const why = refusal() ?? (ending.aborted && code === undefined ? ENDED_EARLY : undefined);
  if (why === undefined) return code ?? 0;
  await output.write(failedStart(why, { uuid: randomUUID(), session_id: agent.sessionId }));
  return 1;
}

const ENDED_EARLY = 'The program was ended before it had taken up a prompt.';

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
