/** A worker in the process of a test, for tests that do not kill it. Its model is scripted like that of `run-worker.ts`. */
import { answer, call, fakeTool, say, scriptedModel, usage } from '@heddle/testing';
import { startWorker, type Worker, type WorkerSetup } from '../worker.ts';

export interface LocalSetup extends Partial<Omit<WorkerSetup, 'url' | 'agent'>> {
  /** The calls of a turn. */
  readonly calls?: number;
  /** Each call asks for permission. */
  readonly asks?: boolean;
  /** The result of a call. */
  readonly run?: (toolUseId: string, signal: AbortSignal) => string | Promise<string>;
}

export function startLocalWorker(url: string, setup: LocalSetup = {}): Promise<Worker> {
  const { calls = 1, asks = false, run = (id: string) => `appended ${id}`, ...rest } = setup;
  return startWorker({
    url,
    agent: ({ n }) => ({
      options: {
        model: scriptedModel((request) => {
          const done = JSON.stringify([...request.messages]).split('"tool_result"').length - 1;
          const cost = usage({ input_tokens: 100, output_tokens: 10 });
          if (done >= calls * n) return answer(cost, say(`Done after ${done} calls.`));
          return answer(
            cost,
            say(`Step ${done + 1}.`),
            call('Append', { step: done + 1 }, `call_${done + 1}`),
          );
        }),
        modelName: 'scripted',
        price: () => 0.01,
        tools: [
          fakeTool({
            name: 'Append',
            readOnly: false,
            run: (_input, { toolUseId, signal }) => run(toolUseId, signal),
          }),
        ],
        cwd: '/',
        ...(asks ? {} : { permissionMode: 'bypassPermissions' as const }),
      },
    }),
    ...rest,
  });
}
