/** Who answers a host: what it can ask for, in the words that clients know. */
import { VERSION } from '@heddle/agent';
import type { PermissionMode } from '@heddle/core';
import { fullModelName } from '@heddle/models';
import { modelEnvironment } from '../../../keys.ts';
import type { ModelOptions } from '../../model-options.ts';
import { LOCAL_COMMANDS } from '../../slash/commands.ts';

export function introduction(
  { modelName, apiKeySource = 'none' }: ModelOptions,
  permissionMode: PermissionMode,
): object {
  return {
    commands: LOCAL_COMMANDS.map(({ name, hint, help }) => ({
      name,
      description: help,
      argumentHint: hint,
      builtin: true,
    })),
    agents: [],
    models: [
      {
        value: 'default',
        displayName: modelName,
        description: 'The model that the program was started with',
      },
      ...(hasKey() ? ALIASES.map(aliasOf) : []),
    ],
    account: { apiKeySource },
    output_style: 'default',
    available_output_styles: ['default'],
    hooks_applied: true,
    hook_on_failure_supported: true,
    claude_code_version: VERSION,
    pid: process.pid,
    current_permission_mode: permissionMode,
  };
}

/** Names that are always the newest of their kind. */
const ALIASES = ['opus', 'sonnet', 'haiku'] as const;

function aliasOf(value: string): object {
  const resolvedModel = fullModelName(value, process.env);
  return { value, resolvedModel, displayName: value, description: resolvedModel };
}

function hasKey(): boolean {
  const environment = modelEnvironment();
  return ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].some((name) => (environment[name] ?? '') !== '');
}
