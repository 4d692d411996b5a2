/** `--permission-prompt-tool mcp__SERVER__TOOL`: a tool of an MCP server answers permission questions. */
import { type AskPermission, type PermissionAnswer, permissionUpdates } from '@heddle/agent';
import { isJsonObject, isRecord, type Json, omitUndefined } from '@heddle/core';
import { toolName } from '@heddle/mcp';
import type { ProgramServers } from '../../mcp/program-servers.ts';
import { serverToolPort } from '../../start/hook-ports.ts';
import { type HostLine, parseHostLine, textIn } from './json.ts';
import { placedInput } from './placed-input.ts';

/** Reads the answer of a host, or of a tool. */
export function permissionAnswer(given: HostLine): PermissionAnswer {
  const updatedInput = given['updatedInput'];
  const updates = permissionUpdates(given['updatedPermissions']);
  return {
    allow: given['behavior'] === 'allow',
    message: textIn(given['message']),
    updatedInput: isJsonObject(updatedInput) ? updatedInput : undefined,
    updates: updates.length > 0 ? updates : undefined,
    interrupt: given['interrupt'] === true,
  };
}

/** However the tool fails to answer, it has not allowed the call. */
export function askTool(name: string, mcp: ProgramServers): AskPermission {
  const port = serverToolPort(mcp);
  return async (question, signal) => {
    const { toolUseId: tool_use_id, tool: tool_name } = question;
    const found = await findServer(name, mcp);
    if (!found)
      return { allow: false, message: `${name} was to decide about this call, but it does not exist.` };
    const { input, cwd, restore } = placedInput(question);
    const asked: Readonly<Record<string, Json>> = {
      tool_name,
      input,
      tool_use_id,
      ...omitUndefined({ cwd: found.takesFolder ? cwd : undefined }),
    };
    const reply = await port({ server: found.server, tool: found.tool, input: asked, signal });
    if (!reply.ok) return { allow: false, message: `${name} could not decide: ${reply.message}` };
    const answer = parseHostLine(reply.text);
    if (typeof answer?.['behavior'] === 'string') return restore(permissionAnswer(answer));
    return { allow: false, message: `${name} gave no decision.` };
  };
}

/** Servers that are still connecting are waited for this long. */
const CONNECT_MS = 5_000;

async function findServer(name: string, mcp: ProgramServers): Promise<FoundTool | undefined> {
  const servers = await mcp.load();
  await servers.settle(CONNECT_MS);
  const found = servers.tools.find((one) => toolName(one.server, one.ownName) === name);
  if (!found) return undefined;
  const { additionalProperties, properties } = found.inputJSONSchema;
  const takesFolder = additionalProperties !== false || (isRecord(properties) && 'cwd' in properties);
  return { server: found.server, tool: found.ownName, takesFolder };
}

interface FoundTool {
  readonly server: string;
  readonly tool: string;
  /** The schema of the tool does not exclude `cwd`, a field that other programs do not send. */
  readonly takesFolder: boolean;
}
