/** The replay of a log for programs: a line for the session, one for each step and one for each iteration. */
import { jsonText } from '../terminal/json-text.ts';
import type { Replayed } from './replayed.ts';
import { sessionName } from './replayed.ts';

export function* jsonLines({ file, runs, damaged }: Replayed, from: number): Generator<string> {
  yield jsonText({ type: 'session', session: sessionName(file), prompts: runs.length, damaged });
  let number = 0;
  for (const [prompt, { iterations, settings }] of runs.entries()) {
    for (const [at, { steps, recorded, verdict, instead }] of iterations.entries()) {
      const place = { prompt: prompt + 1, iteration: at + 1 };
      for (const { turn, happened, guards, decision } of steps) {
        if (++number < from) continue;
        const { turn: _next, ...decided } = decision;
        yield jsonText({ type: 'step', step: number, ...place, turn, happened, guards, decision: decided });
      }
      const told = { verdict, recorded: recorded.decided ?? null, instead };
      yield jsonText({ type: 'iteration', ...place, ...told, ...(settings === '' ? {} : { settings }) });
    }
  }
}
