/** Plays the acts of a step in the format of another provider. */
import type { ServerResponse } from 'node:http';
import type { Clock, ModelError } from '@heddle/core';
import { settleOrAbort } from '../gate.ts';
import type { Act, EndAct } from '../scripted/act.ts';
import type { Encoder, ProviderWire } from './wire.ts';

export interface ProviderStage {
  readonly response: ServerResponse;
  readonly wire: ProviderWire;
  readonly encoder: Encoder;
  readonly requestId: string;
  readonly clock: Clock | undefined;
  /** Aborts when the client has disconnected. */
  readonly gone: AbortSignal;
}

export async function playProvider(acts: readonly Act[], stage: ProviderStage): Promise<void> {
  for (const act of acts) {
    if (stage.gone.aborted || stage.response.destroyed) return;
    if (act.act === 'event') await send(stage.encoder.encode(act.event), stage);
    else if (act.act === 'gate') await act.gate.pass(stage.gone);
    else if (act.act === 'wait') await stage.clock?.sleep(act.ms, stage.gone);
    else await end(act, stage);
  }
}

async function end(act: EndAct, stage: ProviderStage): Promise<void> {
  const { response } = stage;
  if (isSilence(act)) {
    open(stage);
    return settleOrAbort(NEVER, stage.gone);
  }
  if (isBreak(act)) return void response.socket?.destroy();
  if (act.act === 'fail' && !response.headersSent) return sendProviderError(act.error, stage);
  if (act.act === 'fail') await send(stage.encoder.fail(act.error), stage);
  open(stage);
  response.end();
}

function isSilence(act: EndAct): boolean {
  return act.act === 'silence' || (act.act === 'fail' && act.error.class === 'stall');
}

function isBreak(act: EndAct): boolean {
  return act.act === 'hang_up' ? !act.clean : act.act === 'fail' && act.error.class === 'network';
}

export function sendProviderError(
  error: ModelError,
  { response, wire, requestId }: Pick<ProviderStage, 'response' | 'wire' | 'requestId'>,
): void {
  const { status, body } = wire.error(error);
  const { retryAfterMs, shouldRetry } = error;
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': requestId,
    ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
    ...(shouldRetry === undefined ? {} : { 'x-should-retry': String(shouldRetry) }),
  });
  response.end(JSON.stringify(body));
}

function open({ response, wire, requestId }: ProviderStage): void {
  if (response.headersSent) return;
  response.writeHead(200, { 'content-type': wire.contentType, 'x-request-id': requestId });
  response.flushHeaders();
}

async function send(pieces: readonly Uint8Array[], stage: ProviderStage): Promise<void> {
  if (pieces.length > 0) open(stage);
  for (const piece of pieces) {
    const { promise, resolve } = Promise.withResolvers<void>();
    stage.response.once('close', resolve);
    stage.response.write(piece, () => resolve());
    await promise;
    stage.response.removeListener('close', resolve);
  }
}

const NEVER = Promise.withResolvers<never>().promise;
