/** A web server on this machine, and a WebFetch that may contact it. */
import { createServer, type RequestListener } from 'node:http';
import { contextOf } from '@heddle/testing';
import { type WebDeps, webDeps } from '../deps.ts';
import { createWebFetchTool } from '../web-fetch.ts';

export interface Site {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function siteOf(answer: RequestListener): Promise<Site> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

export function fetcher(deps: Partial<WebDeps> = {}) {
  const tool = createWebFetchTool(webDeps({ allowsPrivate: () => true, ...deps }));
  return {
    tool,
    fetch: async (url: string, signal?: AbortSignal): Promise<{ content: string; isError: boolean }> => {
      const context = { ...contextOf(signal ? { signal } : {}), toolUseId: 'w1' };
      const { data } = await tool.call({ url, prompt: 'what is it?' }, context, () => undefined);
      const { content, isError = false } = tool.toResult(data);
      return { content: typeof content === 'string' ? content : JSON.stringify(content), isError };
    },
  };
}
