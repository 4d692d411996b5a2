/** The hook events, and how each one treats a block, plain text and time. One row per event. Other files derive lists of events from it. */

/**
 * Effect of a block (exit code 2, or `decision: "block"`):
 * - `deny_call`: the tool call does not run; the model gets the reason as its result.
 * - `tell_model`: the event has already happened; the model reads the reason.
 * - `drop_prompt`: the prompt is not submitted.
 * - `continue_turn`: the model continues with the reason as feedback.
 * - `end_run`: the run ends with the reason.
 * - `prevent_action`: the action does not happen.
 * - `tell_user`: nothing is prevented; the user sees the reason.
 */
type BlockEffect =
  | 'deny_call'
  | 'tell_model'
  | 'drop_prompt'
  | 'continue_turn'
  | 'end_run'
  | 'prevent_action'
  | 'tell_user';

export interface HookEventTraits {
  readonly onBlock: BlockEffect;
  /** The input field that a matcher is compared with. Undefined: matchers are ignored and every hook runs. */
  readonly matchField?: string;
  /** Plain text on standard output becomes context for the model. */
  readonly textIsContext?: true;
  /** Commands may set variables for later commands: see `env-file.ts`. */
  readonly setsVariables?: true;
  /** Time limit of a handler that names none. */
  readonly timeoutMs?: number;
  /** A host callback that gives no answer in time blocks the event. A command never does, unless it fails closed. */
  readonly silenceBlocks?: true;
  /** A command whose program changed since the latest prompt blocks the event. Without it, the event proceeds. */
  readonly isGuard?: true;
}

const HOOK_EVENTS = {
  PreToolUse: { onBlock: 'deny_call', matchField: 'tool_name', silenceBlocks: true },
  PostToolUse: { onBlock: 'tell_model', matchField: 'tool_name' },
  PostToolUseFailure: { onBlock: 'tell_model', matchField: 'tool_name' },
  PostToolBatch: { onBlock: 'end_run' },
  PermissionRequest: { onBlock: 'tell_user', matchField: 'tool_name' },
  PermissionDenied: { onBlock: 'tell_user', matchField: 'tool_name' },
  UserPromptSubmit: {
    onBlock: 'drop_prompt',
    textIsContext: true,
    timeoutMs: 30_000,
    silenceBlocks: true,
    isGuard: true,
  },
  UserPromptExpansion: {
    onBlock: 'drop_prompt',
    matchField: 'command_name',
    silenceBlocks: true,
    isGuard: true,
  },
  SessionStart: { onBlock: 'tell_user', matchField: 'source', textIsContext: true, setsVariables: true },
  SessionEnd: { onBlock: 'tell_user', matchField: 'reason', timeoutMs: 1_500 },
  Setup: { onBlock: 'tell_user', matchField: 'trigger', setsVariables: true },
  Stop: { onBlock: 'continue_turn' },
  StopFailure: { onBlock: 'tell_user', matchField: 'error' },
  SubagentStart: { onBlock: 'tell_user', matchField: 'agent_type' },
  SubagentStop: { onBlock: 'continue_turn', matchField: 'agent_type' },
  PreCompact: { onBlock: 'prevent_action', matchField: 'trigger' },
  PostCompact: { onBlock: 'tell_user', matchField: 'trigger' },
  PreModelSwitch: { onBlock: 'prevent_action', matchField: 'to_model', isGuard: true },
  PostModelSwitch: { onBlock: 'tell_user', matchField: 'to_model' },
  Notification: { onBlock: 'tell_user', matchField: 'notification_type' },
  Elicitation: { onBlock: 'prevent_action', matchField: 'mcp_server_name', isGuard: true },
  ElicitationResult: { onBlock: 'prevent_action', matchField: 'mcp_server_name', isGuard: true },
  InstructionsLoaded: { onBlock: 'tell_user' },
  ConfigChange: { onBlock: 'prevent_action', matchField: 'source', isGuard: true },
  CwdChanged: { onBlock: 'tell_user', setsVariables: true },
  FileChanged: { onBlock: 'tell_user', matchField: 'file_path', setsVariables: true },
  DirectoryAdded: { onBlock: 'tell_user' },
  WorktreeCreate: { onBlock: 'prevent_action', isGuard: true },
  WorktreeRemove: { onBlock: 'tell_user' },
  TaskCreated: { onBlock: 'prevent_action' },
  TaskCompleted: { onBlock: 'prevent_action' },
  TeammateIdle: { onBlock: 'prevent_action' },
  MessageDisplay: { onBlock: 'tell_user' },
} as const satisfies Record<string, HookEventTraits>;

export type HookEventName = keyof typeof HOOK_EVENTS;

export const HOOK_EVENT_NAMES: readonly HookEventName[] = Object.keys(HOOK_EVENTS).filter(isHookEvent);

export function isHookEvent(name: string): name is HookEventName {
  return Object.hasOwn(HOOK_EVENTS, name);
}

export function traitsOf(event: HookEventName): HookEventTraits {
  return HOOK_EVENTS[event];
}

const DEFAULT_TIMEOUT_MS = 600_000;
const PROMPT_HANDLER_TIMEOUT_MS = 30_000;
const AGENT_HANDLER_TIMEOUT_MS = 60_000;
/** A timer that is set for longer fires at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The time limit of one handler. `seconds` is what its definition asks for, if it is a positive number. */
export function handlerTimeoutMs(event: HookEventName, kind: string, seconds: unknown): number {
  if (typeof seconds === 'number' && seconds > 0) return Math.min(seconds * 1_000, LONGEST_TIMEOUT_MS);
  const byEvent = traitsOf(event).timeoutMs;
  if (byEvent !== undefined) return byEvent;
  if (kind === 'prompt') return PROMPT_HANDLER_TIMEOUT_MS;
  if (kind === 'agent') return AGENT_HANDLER_TIMEOUT_MS;
  return DEFAULT_TIMEOUT_MS;
}
