/**
 * Joins the pure decision with whoever can be asked, and remembers what was denied. Several questions may be open at once;
 * one whose attempt is discarded is withdrawn.
 */
import os from 'node:os';
import type { CanUseTool, EntryBody, JsonObject, Permission, Tool, ToolUseContext } from '@heddle/core';
import { LivePermissions } from '../permission/live.ts';
import type { Authorization, AuthorizeRequest } from '../permission/request.ts';
import { NO_RULES } from '../permission/rules/rule.ts';
import type { World } from '../permission/world.ts';
import type { PermissionDenial } from '../sdk/message.ts';
import type { AgentOptions, PermissionAnswer, PermissionQuestion } from './options.ts';

interface Record {
  readonly store: (body: EntryBody) => void;
  readonly denials: PermissionDenial[];
}

export function permissionOf(options: AgentOptions, record: Record): CanUseTool {
  const live = liveOf(options);
  return async (tool, input, context, { toolUseId, hookDecision, answered, signal }) => {
    const deny = (message: string, interrupt = false): Permission => {
      record.denials.push({ tool_name: tool.name, tool_use_id: toolUseId, tool_input: input });
      return { behavior: 'deny', message, ...(interrupt ? { interrupt } : {}) };
    };
    const request: AuthorizeRequest = {
      tool: tool.name,
      input,
      readOnly: await isReadOnly(tool, input, context),
      hookDecision,
    };
    const { decide, suggest } = await decider(options, live, request, context, signal);
    const verdict = decide();
    if (verdict.decision === 'allow') return { behavior: 'allow' };
    if (verdict.decision === 'deny') return deny(`Permission denied. ${verdict.reason}`);
    if (answered) return { behavior: 'allow' };
    if (!options.canUseTool) return deny(`Permission denied. ${verdict.reason} There is nobody to ask.`);
    record.store({ type: 'ask', toolUseId, tool: tool.name, input });
    const { rule, reason, parts } = verdict;
    const question: PermissionQuestion = {
      toolUseId,
      tool: tool.name,
      input,
      reason,
      parts,
      suggestions: suggest(verdict),
      ...(rule === undefined ? {} : { rule }),
      ...(context.agentId === undefined ? {} : { agentId: context.agentId }),
    };
    const answer = await answerOf(options.canUseTool, question, signal);
    const { allow, message, updatedInput, updates } = answer;
    const said = message === undefined ? {} : { message };
    record.store({ type: 'ask_answer', toolUseId, behavior: allow ? 'allow' : 'deny', ...said });
    if (!allow) return deny(message ?? 'The user denied this call.', answer.interrupt);
    if (updates) live.apply(updates);
    // Rules may have changed while the question was open: what is denied now stays denied.
    const now = decide();
    if (now.decision === 'deny' && now.rule !== undefined) return deny(`Permission denied. ${now.reason}`);
    return updatedInput ? { behavior: 'allow', updatedInput } : { behavior: 'allow' };
  };
}

/** A tool whose proof fails has proven nothing. */
async function isReadOnly(tool: Tool, input: JsonObject, context: ToolUseContext): Promise<boolean> {
  try {
    return await tool.isReadOnly(input, context);
  } catch {
    return false;
  }
}

const lives = new WeakMap<AgentOptions, LivePermissions>();

/** One for all runs of a conversation: what an answer added holds until it ends. */
function liveOf(options: AgentOptions): LivePermissions {
  const { rules = NO_RULES } = options;
  if (rules instanceof LivePermissions) return rules;
  const live = lives.get(options) ?? new LivePermissions(rules);
  lives.set(options, live);
  return live;
}

/** The shell grammar is loaded with the first decision, not with the program. */
async function decider(
  options: AgentOptions,
  live: LivePermissions,
  request: AuthorizeRequest,
  context: ToolUseContext,
  signal: AbortSignal,
) {
  const [{ authorize }, { lookAround }, { suggestions }] = await Promise.all([
    import('../permission/authorize.ts'),
    import('../permission/look.ts'),
    import('../permission/suggest.ts'),
  ]);
  const surroundings = {
    root: options.cwd,
    cwd: context.workingDirectory,
    directories: [...context.additionalDirectories, ...live.directories],
    home: os.homedir(),
    configDirs: options.configDirs ?? [],
    environment: process.env,
  };
  const world: World = await lookAround(surroundings, request, signal);
  return {
    decide: () =>
      authorize(request, live.rules, live.mode ?? context.permissionMode, {
        ...world,
        directories: [...context.additionalDirectories, ...live.directories],
      }),
    suggest: (verdict: Authorization) => suggestions(request, verdict, world),
  };
}

/** A question has no deadline, only an abort; whoever fails to answer has not allowed it. */
async function answerOf(
  ask: NonNullable<AgentOptions['canUseTool']>,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { promise: withdrawn, resolve } = Promise.withResolvers<PermissionAnswer>();
  const withdraw = (): void =>
    resolve({ allow: false, message: 'The question was withdrawn: the call was discarded.' });
  if (signal.aborted) withdraw();
  signal.addEventListener('abort', withdraw, { once: true });
  try {
    return await Promise.race([ask(question, signal), withdrawn]);
  } catch (thrown) {
    return {
      allow: false,
      message: `The question could not be asked: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    };
  } finally {
    signal.removeEventListener('abort', withdraw);
  }
}
