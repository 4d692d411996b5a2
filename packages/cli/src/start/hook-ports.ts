/** The ports of a hook runner that depend on the folder alone. */
import type { HookRunnerDeps } from '@heddle/agent/hooks';
import { isJsonObject } from '@heddle/core';
import os from 'node:os';
import { commandEnvironment } from '../keys.ts';

/**
 * Whether a permission rule matches the call of an event: as a deny rule it would deny the call. A call that cannot be decided
 * matches, so that a guard rather runs too often. The permission code loads with the first such hook.
 */
async function matchesRule(
  rule: string,
  input: Readonly<Record<string, unknown>>,
  cwd: string,
): Promise<boolean> {
  const { tool_name: tool, tool_input: given } = input;
  if (typeof tool !== 'string' || !isJsonObject(given)) return false;
  const { authorize, observeWorld } = await import('@heddle/agent/permission');
  const home = os.homedir();
  const world = observeWorld({ root: cwd, cwd, directories: [], home, configDirs: [], environment: {} });
  const rules = { deny: [{ text: rule, source: 'user' as const, base: cwd }], ask: [], allow: [] };
  const request = { tool, input: given, readOnly: false, hookDecision: undefined };
  return authorize(request, rules, 'bypassPermissions', world).decision !== 'allow';
}

export function hookPorts(cwd: string): Omit<HookRunnerDeps, 'commonInput'> {
  return {
    cwd: () => cwd,
    projectDir: cwd,
    environment: commandEnvironment,
    matchesRule: (rule, input) => matchesRule(rule, input, cwd),
    handlers: {},
    // A reference to the global would load the HTTP client at every start.
    fetch: (input, init) => fetch(input, init),
  };
}
