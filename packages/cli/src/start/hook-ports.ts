/** The ports of a hook runner that depend on the folder alone. */
import type { CallMcpTool, DeclaredHook, HookRunnerDeps } from '@heddle/agent/hooks';
import { errorMessage, isJsonObject, isRecord } from '@heddle/core';
import os from 'node:os';
import { temporaryParent } from '../config-dir.ts';
import { commandEnvironment } from '../keys.ts';
import { knownSecrets } from '../known-secrets.ts';
import type { ProgramServers } from '../mcp/program-servers.ts';
import { emptyFolder, mayStartIn, startFolder } from '../start-folder.ts';

interface HookFolders {
  /** The folder in which the session started. Commands of hooks start there if it is trusted. Rules of hooks are relative to it. */
  readonly start: string;
  /** The folder that hooks receive as that of the project. Undefined: `start`. */
  readonly project?: string | undefined;
  /** The current folder of the shell, against which a call gives its paths. Undefined: `start`. */
  readonly shell?: (() => string) | undefined;
}

/**
 * Whether a permission rule matches the call of an event: as a deny rule it would deny the call. A call that cannot be decided
 * matches, so that a guard rather runs too often. The permission code loads with the first such hook.
 */
async function matchesRule(
  rule: string,
  input: Readonly<Record<string, unknown>>,
  { start, shell = () => start }: HookFolders,
): Promise<boolean> {
  const { tool_name: tool, tool_input: given } = input;
  if (typeof tool !== 'string' || !isJsonObject(given)) return false;
  const { authorize, observeWorld } = await import('@heddle/agent/permission');
  const home = os.homedir();
  const rules = { deny: [{ text: rule, source: 'user' as const, base: start }], ask: [], allow: [] };
  const request = { tool, input: given, readOnly: false, hookDecision: undefined };
  // A subagent may work in another folder than the shell of the session.
  return [...new Set([start, shell()])].some((cwd) => {
    const folders = { root: start, cwd, directories: [], home, configDirs: [] };
    const world = observeWorld({ ...folders, environment: {} });
    return authorize(request, rules, 'bypassPermissions', world).decision !== 'allow';
  });
}

export function hookPorts(folders: HookFolders): Omit<HookRunnerDeps, 'commonInput'> {
  return {
    cwd: () => startFolder(folders.start),
    projectDir: folders.project ?? folders.start,
    environment: commandEnvironment,
    matchesRule: (rule, input) => matchesRule(rule, input, folders),
    variableFolder: temporaryParent(process.env),
    handlers: {},
    // A reference to the global would load the HTTP client at every start.
    fetch: (input, init) => fetch(input, init),
    secrets: knownSecrets,
  };
}

/** A part of the line about trust: a guard that expects the project around it may let everything pass elsewhere. */
export function hookFolderParts(declared: readonly DeclaredHook[], cwd: string): readonly string[] {
  const startsProgram = ({ hook, inactive }: DeclaredHook): boolean =>
    inactive === undefined && hook.handler.type === 'command';
  if (!declared.some(startsProgram) || mayStartIn(cwd)) return [];
  return [`the working directory of hooks (they start in ${emptyFolder()})`];
}

/** Hooks of the type `mcp_tool` call servers of the session. The texts of a result are the output of the hook. */
export function serverToolPort(mcp: ProgramServers): CallMcpTool {
  return async ({ server: name, tool, input, signal }) => {
    const server = (await mcp.load()).get(name);
    if (!server) return { ok: false, message: `There is no MCP server ${name}.` };
    try {
      const result: unknown = await server.call({ tool, input, signal });
      const content = isRecord(result) && Array.isArray(result['content']) ? result['content'] : [];
      const texts = content.filter(isRecord).map((block) => block['text']);
      const text = texts.filter((part) => typeof part === 'string').join('\n');
      return isRecord(result) && result['isError'] === true
        ? { ok: false, message: text }
        : { ok: true, text };
    } catch (thrown) {
      return { ok: false, message: errorMessage(thrown) };
    }
  };
}
