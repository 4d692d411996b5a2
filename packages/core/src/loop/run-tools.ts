/** The `run_tools` effect: every call of the answer gets its one result. */
import { callsOf } from '../messages/message.ts';
import type { Message } from '../messages/message.ts';
import type { ToolResultBlock } from '../messages/blocks.ts';
import type { FinishedCall, Happened } from '../machine/happened.ts';
import { messageOf } from '../tools/classify.ts';
import { stanceOf, type ToolUseContext } from '../tools/context.ts';
import { abortCause } from '../abort.ts';
import type { LoopEvent } from './events.ts';
import { fingerprint } from '../fingerprint.ts';
import type { Run } from './run.ts';
import { deliverResults, executorOf, handleToolUpdate } from './tool-events.ts';

export async function* runTools(run: Run): AsyncGenerator<LoopEvent, Happened> {
  const { iteration, config } = run;
  const executor = executorOf(run);
  if (!config.gates.streamingToolExecution) {
    for (const call of callsOf(iteration.answer)) executor.addTool(call, iteration.badInputs.get(call.id));
  }
  // What finished while the answer streamed is told before anyone is asked about the calls that come now.
  yield* relay(run);
  executor.finishStream();
  yield* relay(run);
  while (!executor.finished) {
    await run.inbox.arrival();
    yield* relay(run);
  }
  yield* moveTo(run, executor.context);
  return {
    type: 'tools_ran',
    calls: finishedCalls(run),
    stoppedBy: executor.stoppedBy,
    aborted: abortCause(run.scope.signal),
  };
}

/** What tools changed for later calls outlasts the run, so it is told. */
function* moveTo(run: Run, context: ToolUseContext): Generator<LoopEvent, void> {
  const before = stanceOf(run.context);
  run.context = context;
  const stance = stanceOf(context);
  if (jsonOf(before) !== jsonOf(stance)) yield { type: 'stance', stance };
}

/** What a call had to say comes before its result. */
async function* relay(run: Run): AsyncGenerator<LoopEvent, void> {
  for (let arrival = run.inbox.poll(); arrival; arrival = run.inbox.poll()) {
    if (arrival.type === 'ready' || arrival.type === 'progress') yield* handleToolUpdate(run, arrival);
  }
  yield* deliverResults(run);
}

function finishedCalls({ iteration }: Run): FinishedCall[] {
  const results = new Map(iteration.results.flatMap(resultsIn).map((result) => [result.tool_use_id, result]));
  return callsOf(iteration.answer).map((call) => ({
    tool: call.name,
    fingerprint: fingerprint([call.name, jsonOf(call.input), jsonOf(results.get(call.id)?.content ?? '')]),
  }));
}

/** Total: what JSON cannot hold (a circle) is named by the reason why. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    return messageOf(thrown);
  }
}

function resultsIn(message: Message): ToolResultBlock[] {
  if (message.type !== 'user' || typeof message.content === 'string') return [];
  return message.content.filter((block) => block.type === 'tool_result');
}
