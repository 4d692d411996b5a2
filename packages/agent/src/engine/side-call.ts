/** Runs one tool call outside of a turn, such as a command in the text of a skill: under hooks, rules, questions and sandbox. */
import {
  errorMessage,
  type JsonObject,
  type PermissionMode,
  textOf,
  type ToolUseContext,
  omitUndefined,
} from '@heddle/core';
import { createReadFileState } from '../attachments/automatic-attachments.ts';
import type { Rules } from '../permission/rules/rule.ts';
import type { AgentOptions } from './options.ts';
import {
  deniedFilesOf,
  permissionOf,
  type PermissionOptions,
  unaskedFilesOf,
  workingFoldersOf,
} from './permission.ts';
import { newUuid } from '../session/uuid.ts';

export interface SideCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** The mode of the session now. */
  readonly mode: PermissionMode;
  /** Rules that count for this call alone. */
  readonly rules?: Rules | undefined;
  readonly signal: AbortSignal;
}

export type SideCallResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** The context of calls that belong to no turn. */
export function contextOutsideTurn(
  options: PermissionOptions & Pick<AgentOptions, 'tools'>,
  permissionMode: PermissionMode,
): Omit<ToolUseContext, 'signal'> {
  return {
    tools: options.tools,
    model: '',
    permissionMode,
    workingDirectory: options.cwd,
    additionalDirectories: [],
    agentId: options.identity?.id,
    fileState: createReadFileState(),
    deniedFiles: deniedFilesOf(options, options.cwd),
    unaskedFiles: unaskedFilesOf(options, options.cwd),
    workingFolders: () => workingFoldersOf(options),
  };
}

/** Nothing of it is stored in the session: its caller stores the result as part of a prompt or of another result. */
export async function runSideCall(options: AgentOptions, call: SideCall): Promise<SideCallResult> {
  const { signal } = call;
  const tool = options.tools.find(({ name }) => name === call.tool);
  if (!tool) return { ok: false, message: `The tool ${call.tool} is not available.` };
  const toolUseId = `side_${newUuid()}`;
  const context = { ...contextOutsideTurn(options, call.mode), model: options.modelName, signal };
  try {
    const before = await options.hooks?.tools?.before?.(
      { toolUseId, tool: call.tool, input: call.input },
      signal,
    );
    if (before?.decision === 'deny')
      return { ok: false, message: before.message ?? 'A hook denied this call.' };
    const input = before?.updatedInput ?? call.input;
    const hookDecision = before?.decision;
    const journal = { store: () => undefined, denials: { note: () => undefined } };
    const decide = permissionOf(options, journal, call.rules);
    const asked = { toolUseId, hookDecision, signal };
    const answer = await decide(tool, input, context, asked);
    if (answer.behavior === 'deny') return { ok: false, message: answer.message };
    const changed = answer.updatedInput;
    // The permitted input is not the one that will run, so the rules are checked again.
    const permission = changed
      ? await decide(tool, changed, context, { ...asked, answered: answer })
      : answer;
    if (permission.behavior === 'deny') return { ok: false, message: permission.message };
    const checked = (await tool.inputSchema()).safeParse(changed ?? input);
    if (!checked.success) return { ok: false, message: `The input is invalid: ${checked.error.message}` };
    const { places, environment, readOnlyRun, fileLimits } = permission;
    const placed = {
      ...context,
      toolUseId,
      ...omitUndefined({ places, environment, readOnlyRun, fileLimits }),
    };
    const { data } = await tool.call(checked.data, placed, () => undefined);
    const { content, isError } = tool.toResult(data);
    const text = typeof content === 'string' ? content : textOf(content);
    return isError ? { ok: false, message: text } : { ok: true, text };
  } catch (thrown) {
    return { ok: false, message: errorMessage(thrown) };
  }
}
