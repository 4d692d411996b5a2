/**
 * Checks the sent and received formats against the official types. The compiler makes the assertions; no
 * code of the SDK is loaded.
 */
import type {
  BetaMessageStreamParams,
  BetaRawMessageStreamEvent,
  BetaStopReason,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { AnthropicBeta, BetaErrorResponse } from '@anthropic-ai/sdk/resources/beta/beta';
import type { Model } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ApiEvent, StopReason } from '@heddle/core';
import { expectTypeOf, it } from 'vitest';
import { aliasesIn } from '../aliases.ts';
import { TABLE } from '../errors/error-rows.ts';
import type { RequestHead } from './request-body.ts';

/** Our types are read-only and the official ones are not. The wire format is the same. */
type Writable<T> = T extends object ? { -readonly [Key in keyof T]: Writable<T[Key]> } : T;
type Known<T> = T extends string ? (string extends T ? never : T) : never;

it('the head of a request matches the official types', () => {
  type Ours = Writable<Omit<RequestHead, 'metadata' | 'context_management' | 'tools' | 'stream'>>;
  expectTypeOf<Ours>().toExtend<
    Omit<BetaMessageStreamParams, 'messages' | 'metadata' | 'context_management' | 'tools'>
  >();
  expectTypeOf<keyof RequestHead>().toExtend<keyof BetaMessageStreamParams | 'stream'>();
});

it('every event of the official stream has a known name', () => {
  type Theirs = BetaRawMessageStreamEvent['type'];
  type Ours = Extract<ApiEvent['type'], string>;
  expectTypeOf<Theirs>().toExtend<Ours>();
});

it('every stop reason that the code handles is an official one', () => {
  expectTypeOf<StopReason>().toExtend<BetaStopReason>();
});

it('every error type in the table is an official one, except the one for the request size', () => {
  type Theirs = BetaErrorResponse['error']['type'];
  const official: Record<Theirs, true> = {
    invalid_request_error: true,
    authentication_error: true,
    billing_error: true,
    permission_error: true,
    not_found_error: true,
    rate_limit_error: true,
    timeout_error: true,
    api_error: true,
    overloaded_error: true,
  };
  const unknown = TABLE.map(({ type }) => type).filter(
    (type) => type !== undefined && !Object.hasOwn(official, type),
  );
  expectTypeOf(official).toExtend<object>();
  if (unknown.some((type) => type !== 'request_too_large'))
    throw new Error(`not official: ${unknown.join()}`);
});

it('the added betas and the models behind the aliases have official names', () => {
  const betas = [
    'task-budgets-2026-03-13',
    'fast-mode-2026-02-01',
    'context-management-2025-06-27',
    'compact-2026-01-12',
  ] as const satisfies readonly Known<AnthropicBeta>[];
  const models = [
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-fable-5-1',
  ] as const satisfies readonly Known<Model>[];
  expectTypeOf(betas).toExtend<readonly string[]>();
  const missing = aliasesIn({}).filter(({ model }) => !models.some((known) => known === model));
  if (missing.length > 0) throw new Error(`not official: ${JSON.stringify(missing)}`);
});
