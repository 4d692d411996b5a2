/** Hooks: what users and hosts run around the events of a conversation. */
export { createAgentHooks, isDeclared } from './agent-hooks.ts';
export { describeHandler, describeHook, type HookResponse } from './combine.ts';
export { createHookMatcher, type HookDefinition, readHooks } from './definition.ts';
export { HOOK_EVENT_NAMES, type HookEventName, handlerTimeoutMs, isHookEvent, traitsOf } from './events.ts';
export {
  describeFailures,
  type HookProgress,
  HookRunner,
  type HookRunnerDeps,
  subjectsOf,
} from './hook-runner.ts';
export {
  agentHandler,
  type AskJudge,
  type CallMcpTool,
  mcpToolHandler,
  promptHandler,
} from './model-hooks.ts';
export type { HandlerResult, HookOutcome } from './outcome.ts';
export { type DeclaredHook, type InactiveReason, settingsHooks } from './settings-hooks.ts';
