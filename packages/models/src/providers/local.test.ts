import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { listening } from '../test/listen.ts';
import { ask, requestTo } from '../test/bridge.ts';
import { closeStages, textIn } from '../test/stage-api.ts';
import { localWindow, modelsOnServer } from './local.ts';
import { openProvider } from './port.ts';
import type { Provider } from '../provider.ts';
import { providerNamed } from './providers.ts';

afterEach(closeStages);

/** A server that answers these paths. A path whose answer is undefined never gets a response. */
async function serving(answers: Readonly<Record<string, unknown>>): Promise<string> {
  const { port } = await listening(
    createServer((request, response) => {
      const path = request.url ?? '';
      if (path in answers && answers[path] === undefined) return;
      response.writeHead(path in answers ? 200 : 404);
      response.end(JSON.stringify(answers[path] ?? {}));
    }),
  );
  return `http://127.0.0.1:${port}`;
}

/** A longer deadline, because the machine may be busy. */
const PATIENT = { HEDDLE_LOCAL_TIMEOUT_MS: '20000' };

function named(id: string): Provider {
  const provider = providerNamed(id);
  if (provider === undefined) throw new Error(id);
  return provider;
}

describe('a server on this machine', () => {
  it.each([
    ['vllm', 'VLLM_BASE_URL', { id: 'm', max_model_len: 40_960 }, 40_960],
    ['llamacpp', 'LLAMACPP_BASE_URL', { id: 'm', meta: { n_ctx_train: 131_072 } }, 131_072],
    [
      'lmstudio',
      'LMSTUDIO_BASE_URL',
      { id: 'm', max_context_length: 8_192, loaded_context_length: 4_096 },
      4_096,
    ],
    ['vllm', 'VLLM_BASE_URL', { id: 'm' }, undefined],
  ])('of kind %s lists its models and their windows', async (id, variable, model, window) => {
    const environment = {
      ...PATIENT,
      [variable]: `${await serving({ '/v1/models': { data: [model] } })}/v1`,
    };
    expect(await modelsOnServer(named(id), environment)).toEqual([{ id: 'm', window }]);
    expect(await localWindow(named(id), 'm', environment)).toBe(window);
  });

  it('of kind Ollama reports the window of a loaded model', async () => {
    const address = await serving({
      '/api/tags': { models: [{ name: 'a' }, { name: 'b' }] },
      '/api/ps': { models: [{ name: 'a', context_length: 65_536 }] },
    });
    const environment = { ...PATIENT, OLLAMA_HOST: address };
    expect((await modelsOnServer(named('ollama'), environment))?.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(await localWindow(named('ollama'), 'a', environment)).toBe(65_536);
    expect(await localWindow(named('ollama'), 'b', environment)).toBeUndefined();
    const withLength = { ...environment, OLLAMA_CONTEXT_LENGTH: '32000' };
    expect(await localWindow(named('ollama'), 'b', withLength)).toBe(32_000);
  });

  it('is asked directly, without any configured proxy', async () => {
    const { port } = await listening(
      createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const choice = { index: 0, delta: { content: 'here' }, finish_reason: 'stop' };
        response.end(`data: ${JSON.stringify({ id: '1', choices: [choice] })}\n\ndata: [DONE]\n\n`);
      }),
    );
    // No server listens on the proxy's port.
    const environment = { VLLM_BASE_URL: `http://127.0.0.1:${port}/v1`, HTTP_PROXY: 'http://127.0.0.1:9' };
    const vllm = await openProvider(named('vllm'), { environment });
    expect(textIn(await ask(vllm, requestTo({ model: 'vllm/m' })))).toBe('here');
  });

  it('that does not respond in time is treated as absent', async () => {
    const address = await serving({ '/api/tags': undefined });
    const environment = { OLLAMA_HOST: address, HEDDLE_LOCAL_TIMEOUT_MS: '30' };
    expect(await modelsOnServer(named('ollama'), environment)).toBeUndefined();
  });

  it('of another kind is not used', async () => {
    const environment = { VLLM_BASE_URL: `${await serving({ '/v1/models': ['hello'] })}/v1` };
    expect(await modelsOnServer(named('vllm'), environment)).toBeUndefined();
  });
});
