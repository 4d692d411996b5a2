/** The `run_tools` effect: every call of the answer gets its one result. */
import { abortCause } from '../../abort.ts';
import type { FinishedCall, MachineEvent } from '../../machine/happened.ts';
import { callsOf, resultsOf } from '../../messages/message.ts';
import { finishedCall, sessionStateOf, type ToolUseContext } from '../../tools/context.ts';
import type { LoopEvent } from '../run/events.ts';
import type { Run } from '../run/run.ts';
import { deliverResults, executorOf, handleToolUpdate } from './tool-events.ts';

export async function* runTools(run: Run): AsyncGenerator<LoopEvent, MachineEvent> {
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
  const before = sessionStateOf(run.context);
  run.context = context;
  const stance = sessionStateOf(context);
  if (JSON.stringify(before) !== JSON.stringify(stance)) yield { type: 'stance', stance };
}

/** What a call had to say comes before its result. */
async function* relay(run: Run): AsyncGenerator<LoopEvent, void> {
  for (let arrival = run.inbox.poll(); arrival; arrival = run.inbox.poll()) {
    if (arrival.type === 'ready' || arrival.type === 'progress') yield* handleToolUpdate(run, arrival);
  }
  yield* deliverResults(run);
}

function finishedCalls({ iteration }: Run): FinishedCall[] {
  const results = new Map(iteration.results.flatMap(resultsOf).map((result) => [result.tool_use_id, result]));
  return callsOf(iteration.answer).map((call) => finishedCall(call, results.get(call.id)));
}
