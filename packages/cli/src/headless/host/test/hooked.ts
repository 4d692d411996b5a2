/** A host with one callback an event on the other side of the real program. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ApiScript } from '@heddle/testing';
import type { OutputLine } from '../../../test/program.ts';
import { lineIn } from '../json.ts';
import { type Conversation, control, isResult, prompt } from './conversation.ts';
import { type Played, stage } from './stage.ts';

/** A callback returns its output, an error, no answer at all, or closes the host's input. */
type Callback = (input: Readonly<Record<string, unknown>>) => object | Error | 'silence' | 'close';

export interface Hooked {
  readonly hooks: Readonly<Record<string, Callback>>;
  /** Fields of each matcher. */
  readonly matcher?: object;
  readonly flags?: readonly string[];
  readonly prompts?: readonly object[];
  /** Returns the host's answer to other lines. */
  readonly reply?: Conversation['reply'];
}

export interface HookedRun extends Played {
  readonly inputs: readonly Readonly<Record<string, unknown>>[];
  /** The last request, as the model got it. */
  readonly last: string;
}

/** To be called once, where a file of tests begins. The host closes its side when every prompt has its result. */
export function hookedStage(): (script: ApiScript, hooked: Hooked) => Promise<HookedRun> {
  const perform = stage();
  return (script, hooked) => play(perform, script, hooked);
}

async function play(
  perform: ReturnType<typeof stage>,
  script: ApiScript,
  { hooks, matcher = {}, flags = [], prompts = [prompt('go')], reply: replyOther }: Hooked,
): Promise<HookedRun> {
  const inputs: Readonly<Record<string, unknown>>[] = [];
  const callbacks = Object.values(hooks);
  const registered = Object.fromEntries(
    Object.keys(hooks).map((event, index) => [event, [{ hookCallbackIds: [`hook_${index}`], ...matcher }]]),
  );
  let results = 0;
  const reply = (line: OutputLine, folder: string): object | 'close' | undefined => {
    if (isResult(line) && ++results === prompts.length) return 'close';
    const request = lineIn(line['request']);
    if (request?.['subtype'] !== 'hook_callback') return replyOther?.(line, folder);
    const input = lineIn(request['input']) ?? {};
    inputs.push(input);
    const response = callbacks[Number(String(request['callback_id']).slice('hook_'.length))]?.(input);
    if (response === 'silence' || response === 'close')
      return response === 'close' ? response : replyOther?.(line, folder);
    return response instanceof Error ? failWith(line, response.message) : answerWith(line, response ?? {});
  };
  const first = [control('i1', { subtype: 'initialize', hooks: registered }), ...prompts];
  const played = await perform(script, {
    first,
    reply,
    flags: ['--permission-mode', 'acceptEdits', ...flags],
  });
  return { ...played, inputs, last: JSON.stringify(played.api.requests.at(-1)?.body ?? null) };
}

/** The host's answer to one request. */
export function answerWith({ request_id }: OutputLine, response: unknown): object {
  return { type: 'control_response', response: { subtype: 'success', request_id, response: response } };
}

function failWith({ request_id }: OutputLine, error: string): object {
  return { type: 'control_response', response: { subtype: 'error', request_id, error } };
}

/** Returns the content of the file that the tests write, or undefined if it does not exist. */
export function written({ folder }: Played): string | undefined {
  const file = path.join(folder, 'a.txt');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

export const specific = (hookEventName: string, fields: object): object => ({
  hookSpecificOutput: { hookEventName, ...fields },
});
