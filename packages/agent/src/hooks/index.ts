/** Hooks: what users and hosts run around the events of a conversation. */
export { createAgentHooks, isDeclared, REPORTED_EVENTS } from './agent-hooks.ts';
export { describeHook, type HookResponse } from './combine.ts';
export { createHookMatcher, type HookDefinition } from './definition.ts';
export { type HookEventName, handlerTimeoutMs, isHookEvent } from './events.ts';
export { describeFailures, HookRunner } from './hook-runner.ts';
export type { HandlerResult, HookOutcome } from './outcome.ts';
export { settingsHooks } from './settings-hooks.ts';
