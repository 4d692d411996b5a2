/** Decides about a call and explains the decision, without running the call. */
import os from 'node:os';
import type { JsonObject, PermissionMode, ToolUseContext } from '@heddle/core';
import {
  type Authorization,
  createReadFileState,
  LivePermissions,
  type PermissionUpdate,
} from '@heddle/agent';
import { authorize, currentName, observeWorld, suggestions } from '@heddle/agent/permission';
import { sandboxSettings, trustIn } from '@heddle/agent/settings';
import { builtinTools } from '@heddle/tools';
import { commandEnvironment } from '../keys.ts';
import type { PermissionSetup } from './setup.ts';

export interface Explained extends Authorization {
  /** The rules that the answer "always" would store. */
  readonly suggestions: readonly PermissionUpdate[];
}

export async function explainPermission(
  named: string,
  input: JsonObject,
  setup: PermissionSetup,
): Promise<Explained> {
  const tool = currentName(named);
  const cwd = process.cwd();
  const { rules, mode, configDirs, configFiles } = setup;
  const { directories, directoryNames } = new LivePermissions(rules, setup.directories);
  const surroundings = {
    root: cwd,
    cwd,
    directories,
    directoryNames,
    home: os.homedir(),
    configDirs: [...configDirs, ...configFiles()],
    environment: commandEnvironment(),
    isTrusted: trustIn({ home: os.homedir(), env: process.env }),
    readOnlyView: tool === 'Bash' && (await hasView(setup)),
  };
  const world = observeWorld(surroundings);
  const readOnly = await isReadOnly(tool, input, mode);
  const request = { tool, input, readOnly, hookDecision: undefined };
  const verdict = authorize(request, rules, mode, world);
  return { ...verdict, suggestions: suggestions(request, verdict, { rules, mode, world }) };
}

/** If the sandbox is on, commands do not run in the read-only view. */
async function hasView({ loaded }: PermissionSetup): Promise<boolean> {
  const { enabled, readOnlyView } = sandboxSettings(loaded, os.homedir());
  if (enabled || readOnlyView === 'off') return false;
  const { createReadOnlyView } = await import('@heddle/agent/sandbox');
  const readiness = await createReadOnlyView().readiness();
  return readiness.ready && readiness.isComplete;
}

/** Tools of a session that have no effect of their own. The calls of a subagent are decided one by one. */
const OF_SESSION: ReadonlySet<string> = new Set([
  'SendMessage',
  'CronList',
  'ListMcpResourcesTool',
  'StructuredOutput',
  'ToolSearch',
]);

/** Returns false for an unknown tool, because it may do anything. */
async function isReadOnly(name: string, input: JsonObject, permissionMode: PermissionMode): Promise<boolean> {
  if (OF_SESSION.has(name)) return true;
  // A model of another provider would receive the task. Only a session knows its providers.
  if (name === 'Agent') return input['model'] === undefined || input['model'] === '';
  const tools = builtinTools({ shell: { environment: commandEnvironment } });
  const context: ToolUseContext = {
    tools,
    model: 'none',
    permissionMode,
    signal: new AbortController().signal,
    workingDirectory: process.cwd(),
    additionalDirectories: [],
    agentId: undefined,
    fileState: createReadFileState(),
  };
  try {
    return (await tools.find((tool) => tool.name === name)?.isReadOnly(input, context)) ?? false;
  } catch {
    return false;
  }
}
