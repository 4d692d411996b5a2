// A worker of `npm run bench:fleet`: `worker.ts URL CALLS DELAY_MS`. Its model is scripted, so that only the fleet is measured.
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorker } from '@heddle/fleet';
import { answer, call, fakeTool, say, scriptedModel } from '@heddle/testing';

const [url = '', calls = '10', delayMs = '0'] = process.argv.slice(2);

await startWorker({
  url,
  concurrency: 40,
  agent: () => ({
    options: {
      model: scriptedModel((request) => {
        const done = JSON.stringify([...request.messages]).split('"tool_result"').length - 1;
        if (done >= Number(calls)) return answer(say('Done.'));
        return answer(say(`Step ${done + 1}.`), call('Wait', { step: done + 1 }, `call_${done + 1}`));
      }),
      modelName: 'scripted',
      tools: [
        fakeTool({
          name: 'Wait',
          readOnly: false,
          run: async () => {
            await sleep(Number(delayMs));
            return 'ok';
          },
        }),
      ],
      cwd: '/',
      permissionMode: 'bypassPermissions',
    },
  }),
});
process.stdout.write('ready\n');
