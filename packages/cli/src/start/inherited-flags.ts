/** The flags that a run passes on to the runs that its model starts: members of a team, and scheduled jobs. */
import type { PermissionMode } from '@heddle/core';
import type { RunOptions } from '../arguments/arguments.ts';
import { FLAGS, type ValuesFor } from '../arguments/flags.ts';

/**
 * Each flag of a run has a row, so that a new flag needs a decision. A flag that restricts the run is passed on. A flag that
 * permits more is not: `--allowed-tools`, `--add-dir`, `--mcp-config`.
 */
const IS_INHERITED: Readonly<Record<keyof ValuesFor<'every'>, boolean>> = {
  model: true,
  agent: true,
  agents: true,
  bare: true,
  maxTurns: true,
  // A run with a limit on money starts no other runs.
  maxBudgetUsd: false,
  taskBudget: true,
  tools: true,
  disallowedTools: true,
  strictMcpConfig: true,
  // Plugins may have hooks that deny calls.
  pluginDirs: true,
  pluginDirsNoMcp: true,
  settings: true,
  settingSources: true,
  projectConfigRoot: true,
  managedSettings: true,
  allowedTools: false,
  addDirs: false,
  mcpConfig: false,
  fallbackModel: false,
  effort: false,
  betas: false,
  record: false,
  jsonSchema: false,
  partialMessages: false,
  forwardSubagentText: false,
  promptSuggestions: false,
  init: false,
  initOnly: false,
  maintenance: false,
};

/** A limit on money holds for one process. Other runs would spend beside it. */
export function mayStartRuns({ maxBudgetUsd }: Pick<RunOptions, 'maxBudgetUsd'>): boolean {
  return maxBudgetUsd === undefined;
}

/** `mode`: the mode of the conversation now. The mode bypassPermissions is not passed on. */
export function inheritedFlags(given: RunOptions, mode: PermissionMode): readonly string[] {
  const flags = Object.entries(FLAGS).flatMap(([name, { surface, to, takes }]) => {
    if (surface !== 'every' || !IS_INHERITED[to]) return [];
    const value = given[to];
    if (value === undefined || value === false) return [];
    if (takes === 'nothing') return [name];
    if (takes === 'value') return [name, valueText(value)];
    const items = Array.isArray(value) ? value : [];
    // `--tools ""` is a list, too: no tools.
    if (items.length === 0) return to === 'tools' ? [`${name}=`] : [];
    return items.map((item) => `${name}=${item}`);
  });
  return mode === 'bypassPermissions' ? flags : [...flags, '--permission-mode', mode];
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
