/**
 * A worker process for tests: `run-worker.ts URL FOLDER CALLS [DELAY_MS] [ASK]`. Its model is scripted: it calls `Append` as often as
 * asked, and then ends. Each call appends its id to a file named after the session. With ASK, each call asks first.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, call, fakeTool, say, scriptedModel, usage } from '@heddle/testing';
import { startWorker } from '../worker.ts';

const [url = '', folder = '', calls = '3', delayMs = '20', ask = ''] = process.argv.slice(2);

const worker = await startWorker({
  url,
  concurrency: 40,
  parkAfterMs: Number(process.env['PARK_AFTER_MS'] ?? 300_000),
  times: { lookMs: 300, hungMs: Number(process.env['HUNG_MS'] ?? 30_000), heartbeatMs: 500 },
  log: (text) => process.stdout.write(`${text}\n`),
  onLost: () => process.exit(75),
  onDrain: (waitMs) => void worker.stop({ waitMs }).then(() => process.exit(0)),
  agent: ({ session, options }) => ({
    options: {
      model: scriptedModel((request) => {
        const done = JSON.stringify([...request.messages]).split('"tool_result"').length - 1;
        const cost = usage({ input_tokens: 100, output_tokens: 10 });
        if (done >= Number(calls) * Number(options['turn'] ?? 1))
          return answer(cost, say(`Done after ${done} calls.`));
        // Some servers give every call the same id.
        const step = process.env['REPEAT_CALL'] === undefined ? done + 1 : 1;
        return answer(cost, say(`Step ${done + 1}.`), call('Append', { step }, `call_${step}`));
      }),
      modelName: 'scripted',
      price: () => 0.01,
      tools: [
        fakeTool({
          name: 'Append',
          readOnly: false,
          run: async (_input, { toolUseId }) => {
            appendFileSync(path.join(folder, session), `${toolUseId}\n`);
            // A session with a gate waits for a file of this name.
            const gate = typeof options['gate'] === 'string' ? path.join(folder, options['gate']) : folder;
            while (!existsSync(gate)) await sleep(20);
            await sleep(Number(delayMs));
            return `appended ${toolUseId}`;
          },
        }),
      ],
      cwd: folder,
      ...(ask === 'ask' ? {} : { permissionMode: 'bypassPermissions' as const }),
    },
  }),
});
// Tests kill most workers, and a killed process does not store what it compiled.
flushCompileCache();
process.stdout.write(`worker ${worker.id} ready\n`);
process.on('SIGTERM', () => void worker.stop().then(() => process.exit(0)));
