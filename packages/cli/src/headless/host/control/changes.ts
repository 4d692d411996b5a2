/** What a host may change while the program runs: mode, model, room to think. */
import { randomUUID } from 'node:crypto';
import type { Agent, SdkMessage } from '@heddle/agent';
import type { PermissionMode, RequestOptions } from '@heddle/core';
import type { ModelOptions, ModelRead } from '../../model-options.ts';
import { failure, type Reply, success } from './reply.ts';

export interface ChangeDoors {
  readonly agent: Agent;
  /** The model that the program was started with. */
  readonly firstModel: ModelOptions;
  readonly model: (name: string) => Promise<ModelRead>;
  readonly requestOptions: RequestOptions | undefined;
  readonly write: (line: SdkMessage) => Promise<void>;
}

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];

export async function setMode(wanted: string | undefined, { agent, write }: ChangeDoors): Promise<Reply> {
  const mode = MODES.find((known) => known === wanted);
  if (!mode) return failure(`There is no permission mode ${wanted}; there are ${MODES.join(', ')}.`);
  if (!agent.setPermissionMode(mode))
    return failure(`${mode} can only be switched on where the program was started with permission for it.`);
  await write({
    type: 'system',
    subtype: 'status',
    uuid: randomUUID(),
    session_id: agent.sessionId,
    status: null,
    permissionMode: mode,
  });
  return success({ mode });
}

export async function setModel(
  wanted: string | undefined,
  { agent, firstModel, model }: ChangeDoors,
): Promise<Reply> {
  const isFirst = wanted === undefined || wanted === 'default';
  const found: ModelRead = isFirst ? { ok: true, options: firstModel } : await model(wanted);
  if (!found.ok) return failure(found.message);
  agent.change(found.options);
  return success({ model: found.options.modelName });
}

/** Null: what the program was started with. */
export function setThinking(tokens: unknown, { agent, requestOptions }: ChangeDoors): Reply {
  if (tokens !== null && (typeof tokens !== 'number' || !Number.isInteger(tokens) || tokens < 0))
    return failure('max_thinking_tokens takes a whole number, or null.');
  const given =
    tokens === null
      ? {}
      : { thinking: tokens === 0 ? DISABLED : ({ type: 'enabled', budget_tokens: tokens } as const) };
  agent.change({ requestOptions: { ...requestOptions, ...given } });
  return { subtype: 'success' };
}

const DISABLED = { type: 'disabled' } as const;
