/** Calls of one prompt that were not permitted. A denial counts once the call has its result: a discarded call was not denied. */
import type { LoopEvent } from '@heddle/core';
import type { PermissionDenial, SdkInformational, SdkMessage, SdkPermissionDenied } from '../sdk/message.ts';

export interface Denial extends PermissionDenial {
  /** The denying party: the `user` in an answer, a `hook`, a `rule`, or another check. */
  readonly by: 'user' | 'hook' | 'rule' | 'other';
  readonly message: string;
}

type Stamp = Pick<SdkMessage, 'uuid' | 'session_id'>;

export class Denials {
  /** Decided, but without a result yet; by call. */
  readonly #pending = new Map<string, Denial>();
  /** By the message that carries the result, so that a retracted one is forgotten. */
  readonly #counted = new Map<string, Denial>();

  note(denial: Denial): void {
    this.#pending.set(denial.tool_use_id, denial);
  }

  /** Returns the denial that this event makes final, if it does. */
  observe(event: LoopEvent): Denial | undefined {
    if (event.type === 'tombstone') for (const uuid of event.uuids) this.#counted.delete(uuid);
    if (event.type !== 'message' || !event.outcome) return undefined;
    const { toolUseId } = event.outcome;
    const denial = this.#pending.get(toolUseId);
    this.#pending.delete(toolUseId);
    if (denial) this.#counted.set(event.message.uuid, denial);
    return denial;
  }

  get list(): readonly PermissionDenial[] {
    return [...this.#counted.values()].map(({ tool_name, tool_use_id, tool_input }) => ({
      tool_name,
      tool_use_id,
      tool_input,
    }));
  }
}

/** The lines about a denial that clients receive before the result. A user who denied it needs none. */
export function denialLines(denial: Denial, stamp: Stamp): (SdkInformational | SdkPermissionDenied)[] {
  const { by, tool_name, tool_use_id, message } = denial;
  switch (by) {
    case 'user':
      return [];
    case 'hook': {
      const about = { content: message, level: 'warning', tool_use_id } as const;
      return [{ type: 'system', subtype: 'informational', ...stamp, ...about }];
    }
    case 'rule':
    case 'other': {
      const about = { tool_name, tool_use_id, message };
      const why = { decision_reason_type: by, decision_reason: message };
      return [{ type: 'system', subtype: 'permission_denied', ...stamp, ...about, ...why }];
    }
  }
}
