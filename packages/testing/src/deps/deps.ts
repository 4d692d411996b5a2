/** A complete `QueryDeps` for tests. Every port has no effects until a test overrides it. */
import type { AuthorizeCall, QueryDeps } from '@heddle/core';
import { createClock } from '../clock.ts';
import { createIds, createRandom } from '../ids.ts';
import { scriptedModel } from '../scripted/model.ts';
import { fakeAttachments } from './attachments.ts';
import { fakeContext } from './fake-context.ts';
import { fakeToolHooks, fakeTurnEnd } from './hooks.ts';

/** The clock moves automatically, ids are `m1`, `m2`, …, and the model has no script: give it one. */
export function fakeDeps(overrides: Partial<QueryDeps> = {}): QueryDeps {
  return {
    model: scriptedModel([]),
    clock: createClock({ auto: true }),
    ids: createIds(),
    random: createRandom(1),
    context: fakeContext(),
    toolHooks: fakeToolHooks(),
    redact: (value) => value,
    turnEnd: fakeTurnEnd(),
    requestSent: () => undefined,
    attachments: fakeAttachments(),
    askToContinue: () => Promise.resolve(false),
    summarizeTools: () => Promise.resolve(undefined),
    ...overrides,
  };
}

/** Allows everything. */
export const allowAll: AuthorizeCall = () => Promise.resolve({ behavior: 'allow' });

/** Denies the named tools and allows the rest. */
export function denyTools(...names: readonly string[]): AuthorizeCall {
  return (tool) =>
    Promise.resolve(
      names.includes(tool.name)
        ? { behavior: 'deny', message: `${tool.name} is not allowed here` }
        : { behavior: 'allow' },
    );
}
