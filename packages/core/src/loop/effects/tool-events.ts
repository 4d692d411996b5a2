/** Between the executor and the generator: intents are yielded before calls begin, results in the order of the calls. */
import type { ToolUseBlock } from '../../messages/blocks.ts';
import type { AttachmentMessage, UserMessage } from '../../messages/message.ts';
import { type Settled, type Slot, StreamingToolExecutor, type ToolUpdate } from '../../tools/executor.ts';
import type { LoopEvent, MessageEvent } from '../run/events.ts';
import { attachmentMessage, stamp, type Run } from '../run/run.ts';

export function executorOf(run: Run): StreamingToolExecutor {
  const { iteration, config, deps, params } = run;
  iteration.executor ??= new StreamingToolExecutor({
    pipeline: { hooks: deps.toolHooks, canUseTool: params.canUseTool, redact: deps.redact },
    context: run.context,
    signal: run.scope.signal,
    clock: deps.clock,
    limits: config.limits,
    tell: (update) => run.inbox.push(update),
    onInterrupt: () => run.scope.abort('permission denied'),
  });
  return iteration.executor;
}

export async function* handleToolUpdate(run: Run, update: ToolUpdate): AsyncGenerator<LoopEvent, void> {
  if (update.type === 'settled') return;
  const { slot } = update;
  const { id: toolUseId, name: tool } = slot.block;
  // An update of a discarded attempt may still be on its way: it is nobody's business any more.
  if (update.type === 'progress') {
    if (slot.state !== 'delivered') yield { type: 'progress', toolUseId, tool, data: update.data };
    return;
  }
  if (slot.state !== 'ready') return;
  const { raw, effect } = update.call;
  yield {
    type: 'tool_intent',
    toolUseId,
    tool,
    input: raw,
    effect,
    ...(slot.details ? { details: slot.details } : {}),
  };
  run.iteration.executor?.begin(slot);
}

/** Yields what has settled, in the order of the calls: the result, then what hooks had to say. */
export async function* deliverResults(run: Run): AsyncGenerator<LoopEvent, void> {
  for (const slot of run.iteration.executor?.takeResults() ?? []) {
    if (!slot.settled) continue;
    for (const { model, usage } of slot.settled.spent ?? []) yield { type: 'spent', model, usage };
    yield deliver(run, slot.block, slot.settled);
    for (const message of remarks(run, slot)) {
      run.iteration.results.push(message);
      run.iteration.answered.get(slot.block.id)?.push(message);
      yield { type: 'message', message };
    }
  }
}

function remarks(run: Run, slot: Slot): AttachmentMessage[] {
  return slot.remarks.map((text) => attachmentMessage(run, { kind: 'reminder', about: 'hook', text }));
}

/** Records a call's one result and makes the event that carries it. */
export function deliver(run: Run, call: ToolUseBlock, { result, data }: Settled): MessageEvent {
  const isError = result.isError === true;
  const message: UserMessage = {
    type: 'user',
    ...stamp(run),
    content: [
      {
        type: 'tool_result',
        tool_use_id: call.id,
        content: result.content,
        ...(isError ? { is_error: true } : {}),
      },
    ],
    ...(data === undefined ? {} : { toolUseResult: data }),
  };
  run.iteration.results.push(message);
  run.iteration.answered.set(call.id, [message]);
  return { type: 'message', message, outcome: { toolUseId: call.id, isError } };
}
