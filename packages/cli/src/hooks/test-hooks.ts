/** `heddle hooks test`: runs the hooks of one event with a sample input, and reports their answers and the effect. */
import {
  type DeclaredHook,
  describeHandler,
  type HandlerResult,
  type HookDefinition,
  type HookEventName,
  type HookOutcome,
  type HookResponse,
  HookRunner,
  subjectsOf,
  traitsOf,
} from '@heddle/agent/hooks';
import type { JsonObject } from '@heddle/core';
import type { SessionHooks } from '../start/session-hooks.ts';
import { hookPorts } from '../start/hook-ports.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { whyInactive } from './list-hooks.ts';

export interface HookTest {
  readonly event: HookEventName;
  readonly input: JsonObject;
  readonly ran: readonly HookRun[];
  /** The hooks of the event that did not run, each with the reason. */
  readonly skipped: readonly { readonly hook: string; readonly source: string; readonly reason: string }[];
  readonly effect: readonly string[];
}

interface HookRun {
  readonly hook: string;
  readonly source: string;
  readonly milliseconds: number;
  readonly result: HandlerResult;
  readonly answer: HookOutcome;
}

/** Background hooks of a test may take this long. */
const BACKGROUND_MS = 30_000;

export async function testHooks(
  event: HookEventName,
  given: JsonObject,
  declared: readonly DeclaredHook[],
  modelName: string | undefined,
): Promise<HookTest> {
  const cwd = process.cwd();
  const input: JsonObject = { ...sampleInput(event), ...given };
  const ofEvent = declared.filter(({ hook }) => hook.event === event);
  const active = ofEvent.filter(({ inactive }) => inactive === undefined).map(({ hook }) => hook);
  const ran: HookRun[] = [];
  const began = new Map<number, number>();
  const runner = new HookRunner(active, {
    ...hookPorts({ start: cwd }),
    handlers: await judgesFor(active, modelName),
    commonInput: () => ({ session_id: 'hooks-test', transcript_path: '', cwd, permission_mode: 'default' }),
    observe: (progress) => {
      const { id, hook } = progress;
      if (progress.type === 'hook_started') began.set(id, performance.now());
      if (progress.type !== 'hook_finished') return;
      const milliseconds = Math.round(performance.now() - (began.get(id) ?? 0));
      const { result, outcome: answer } = progress;
      ran.push({ hook: describeHandler(hook.handler), source: hook.source, milliseconds, result, answer });
    },
  });
  const call = { event, input };
  const selected = await runner.select(call);
  const response = await runner.run(call);
  await runner.close(BACKGROUND_MS);
  const isSelected = ({ hook }: DeclaredHook): boolean => selected.includes(hook);
  const skipped = ofEvent
    .filter((one) => !isSelected(one))
    .map((one) => ({
      hook: describeHandler(one.hook.handler),
      source: one.hook.source,
      reason: one.inactive === undefined ? whyNotSelected(one.hook, input) : (whyInactive(one) ?? ''),
    }));
  return { event, input, ran, skipped, effect: effectOf(event, response) };
}

/** Hooks that let a model judge need a session with a model. It is not stored. */
async function judgesFor(
  hooks: readonly HookDefinition[],
  modelName: string | undefined,
): Promise<SessionHooks['judges']> {
  if (!hooks.some(({ handler }) => handler.type === 'prompt' || handler.type === 'agent')) return {};
  const { readArguments } = await import('../arguments/arguments.ts');
  const model = modelName === undefined ? [] : ['--model', modelName];
  const parsed = readArguments(['-p', 'test', '--no-session-persistence', ...model]);
  if (!parsed.ok || parsed.command.name !== 'print') return {};
  const { agentOptions } = await import('../start/agent-options.ts');
  const { startAgent } = await import('../start/start-agent.ts');
  const options = await agentOptions(parsed.command);
  const starting = options.ok ? await startAgent(options.command, options.options) : options;
  if (starting.ok) return starting.started.hooks.judges;
  const { message } = starting;
  const fail = async (): Promise<HandlerResult> => ({
    kind: 'failed',
    failure: { kind: 'unreachable', message },
  });
  return { prompt: fail, agent: fail };
}

function whyNotSelected({ event, matcher, matches, condition }: HookDefinition, input: JsonObject): string {
  const { matchField } = traitsOf(event);
  const subjects = subjectsOf(event, input);
  if (matchField !== undefined && !subjects.some((subject) => matches(subject)))
    return `its matcher ${matcher} does not match ${matchField} ${JSON.stringify(subjects[0])}`;
  return condition === undefined ? 'the same hook runs already' : `its rule ${condition} does not match`;
}

/** The effect of the combined answer, in sentences. */
function effectOf(event: HookEventName, response: HookResponse): readonly string[] {
  const { decision, reason, block, stop, context, updatedInput, updatedToolOutput, permission } = response;
  const lines = [
    ...(stop === undefined ? [] : [`The run ends: ${stop}`]),
    ...(decision === undefined
      ? []
      : [`${DECISIONS[decision]}${reason === undefined ? '.' : `: ${reason}`}`]),
    ...(permission === undefined ? [] : [`The question is answered: ${permission.behavior}.`]),
    ...(block === undefined ? [] : [`${BLOCKS[traitsOf(event).onBlock]}: ${block}`]),
    ...(updatedInput === undefined ? [] : [`The input becomes ${JSON.stringify(updatedInput)}`]),
    ...(updatedToolOutput === undefined ? [] : [`The output becomes ${JSON.stringify(updatedToolOutput)}`]),
    ...(context === undefined ? [] : [`The model reads: ${context}`]),
    ...response.messages.map((message) => `The user reads: ${message}`),
    ...response.failures.map(({ failure }) => `A failure is reported: ${failure.message}`),
  ];
  return lines.length === 0 ? ['Nothing changes.'] : lines;
}

const DECISIONS = {
  allow: 'The call is allowed without a question',
  deny: 'The call is denied',
  ask: 'The user is asked about the call',
} as const;

const BLOCKS: Readonly<Record<ReturnType<typeof traitsOf>['onBlock'], string>> = {
  deny_call: 'The call is denied',
  tell_model: 'The model reads',
  drop_prompt: 'The prompt is dropped',
  continue_turn: 'The model continues with',
  end_run: 'The run ends',
  prevent_action: 'The action is prevented',
  tell_user: 'The user reads',
};

const MAX_SHOWN_CHARACTERS = 2_000;

export function testReport({ event, input, ran, skipped, effect }: HookTest): string {
  const lines = [
    `${event} with ${JSON.stringify(input)}`,
    ...(ran.length === 0 ? ['No hook runs.'] : ran.flatMap(runLines)),
    ...skipped.map(({ hook, source, reason }) => `- ${hook} (${source}): ${reason}`),
    'Effect:',
    ...effect.map((line) => `  ${indent(shorten(line), '  ')}`),
  ];
  return `${lines.map(escapeControls).join('\n')}\n`;
}

function runLines({ hook, source, milliseconds, result }: HookRun): readonly string[] {
  return [`+ ${hook} (${source})`, `  ${resultText(result)}, ${milliseconds} ms`, ...outputLines(result)];
}

function resultText(result: HandlerResult): string {
  switch (result.kind) {
    case 'exited':
      return `exit code ${result.code}`;
    case 'returned':
      return 'answered';
    case 'detached':
      return 'continues in the background';
    case 'failed':
      return `failed: ${result.failure.message}`;
  }
}

function outputLines(result: HandlerResult): readonly string[] {
  const outputs =
    result.kind === 'exited'
      ? [
          ['stdout', result.stdout],
          ['stderr', result.stderr],
        ]
      : result.kind === 'returned'
        ? [['answer', JSON.stringify(result.output)]]
        : [];
  return outputs.flatMap(([name = '', text = '']) =>
    text.trim() === '' ? [] : [`  ${name}: ${indent(shorten(text.trimEnd()), '    ')}`],
  );
}

function shorten(text: string): string {
  const more = text.length - MAX_SHOWN_CHARACTERS;
  return more <= 0 ? text : `${text.slice(0, MAX_SHOWN_CHARACTERS)} [${more} more characters]`;
}

function indent(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}

/** A plausible input of the event, so that a test needs no input. */
function sampleInput(event: HookEventName): JsonObject {
  switch (event) {
    case 'PreToolUse':
    case 'PermissionRequest':
      return SAMPLE_CALL;
    case 'PostToolUse':
      return { ...SAMPLE_CALL, tool_response: { stdout: 'README.md', stderr: '' } };
    case 'PostToolUseFailure':
      return { ...SAMPLE_CALL, error: 'exit code 1', is_interrupt: false };
    case 'PermissionDenied':
      return { ...SAMPLE_CALL, reason: 'No rule allows this command.' };
    case 'UserPromptSubmit':
      return { prompt: 'Fix the failing test.' };
    case 'SessionStart':
      return { source: 'startup' };
    case 'SessionEnd':
      return { reason: 'other' };
    case 'Stop':
      return { stop_hook_active: false, last_assistant_message: 'Done.' };
    case 'StopFailure':
      return { error: 'overloaded', error_details: 'The model is overloaded.' };
    case 'PreCompact':
      return { trigger: 'manual', custom_instructions: null };
    case 'PostCompact':
      return { trigger: 'manual', compact_summary: 'The user asked for a fix.' };
    case 'Notification':
      return { message: 'Heddle needs your permission.', notification_type: 'permission_prompt' };
    default:
      return {};
  }
}

const SAMPLE_CALL: JsonObject = {
  tool_name: 'Bash',
  tool_input: { command: 'ls', description: 'List the files' },
  tool_use_id: 'toolu_hooks_test',
};
