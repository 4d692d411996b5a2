/** `heddle fleet serve` and `heddle fleet openapi`: the gateway of a fleet. */
import { openApiDescription, type RequestRecord, startGateway } from '@heddle/fleet/gateway';
import { writeMessage } from '../terminal/write-message.ts';
import type { Emit } from './client-command.ts';
import { omitUndefined } from '@heddle/core';

interface ServeChoice {
  readonly url: string;
  readonly host: string | undefined;
  readonly port: number | undefined;
}

/** Serves until a signal comes. Prints one line about each request. */
export async function runServe({ url, host, port }: ServeChoice, emit: Emit): Promise<number> {
  const over = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => over.resolve());
  const gateway = await startGateway({
    url,
    ...omitUndefined({ host, port }),
    log: (record) => emit({ value: { type: 'request', ...record }, text: requestText(record) }),
  });
  const { address } = gateway;
  emit({ value: { type: 'gateway', address }, text: `The gateway listens on ${address}` });
  await over.promise;
  await gateway.close();
  return 0;
}

function requestText({ method, route, status, ms, token = '-', tenant = '-' }: RequestRecord): string {
  return `${method} ${route} ${status} ${ms} ms  token ${token}  tenant ${tenant}`;
}

export function printOpenApi(): number {
  writeMessage(`${JSON.stringify(openApiDescription(), undefined, 2)}\n`);
  return 0;
}
