/** What would be decided about a call, and why. Nothing is run. */
import os from 'node:os';
import type { JsonObject, PermissionMode, ToolUseContext } from '@heddle/core';
import { type Authorization, createFileState } from '@heddle/agent';
import { authorize, lookAround } from '@heddle/agent/permission';
import { builtinTools } from '@heddle/tools';
import type { PermissionSetup } from './setup.ts';

export async function explain(
  tool: string,
  input: JsonObject,
  setup: PermissionSetup,
): Promise<Authorization> {
  const cwd = process.cwd();
  const { rules, mode, directories, configDirs } = setup;
  const surroundings = {
    root: cwd,
    cwd,
    directories,
    home: os.homedir(),
    configDirs,
    environment: process.env,
  };
  const world = await lookAround(surroundings, { tool, input });
  return authorize(
    { tool, input, readOnly: await isReadOnly(tool, input, mode), hookDecision: undefined },
    rules,
    mode,
    world,
  );
}

/** A tool that nobody here knows may do anything. */
async function isReadOnly(name: string, input: JsonObject, permissionMode: PermissionMode): Promise<boolean> {
  const tools = builtinTools();
  const context: ToolUseContext = {
    tools,
    model: 'none',
    permissionMode,
    signal: new AbortController().signal,
    workingDirectory: process.cwd(),
    additionalDirectories: [],
    agentId: undefined,
    fileState: createFileState(),
  };
  try {
    return (await tools.find((tool) => tool.name === name)?.isReadOnly(input, context)) ?? false;
  } catch {
    return false;
  }
}

const SIGNS = { allow: '+', ask: '?', deny: '-' } as const;

export function explanationText({ decision, reason, parts }: Authorization): string {
  const lines = parts.map(
    (part) => `  ${SIGNS[part.decision]} ${part.kind} ${part.part}\n      ${part.reason}`,
  );
  return `${decision}: ${reason}\n${lines.join('\n')}\n`;
}
