/** A level of the context pipeline: a pure step over the history, light ones before heavy ones. */
import type { ContextReport } from './report.ts';
import type { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';

export interface LevelResult {
  /** The same object where nothing was done. */
  readonly messages: History<Message>;
  readonly tokensFreed: number;
  /** Undefined where nothing was done. */
  readonly report: ContextReport | undefined;
  /** Where single messages took the place of others: they carry the uuids of those. */
  readonly replaced?: readonly Message[];
}

export function untouched(messages: History<Message>): LevelResult {
  return { messages, tokensFreed: 0, report: undefined };
}
