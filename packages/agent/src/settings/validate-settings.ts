/** Validates the permission settings of a file. Unknown keys are kept. */
import { errorMessage, isJsonObject, type Json, type JsonObject } from '@heddle/core';

export type ValidatedSettings =
  | { readonly ok: true; readonly settings: JsonObject }
  | { readonly ok: false; readonly message: string };

/** Validated by hand, because the schema library is not on the start-up path. */
export function validateSettings(text: string): ValidatedSettings {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    return {
      ok: false,
      message: `it is not JSON: ${errorMessage(thrown)}`,
    };
  }
  if (!isJsonObject(value)) return { ok: false, message: 'it is not a JSON object' };
  const message = problemOf(value);
  return message === undefined ? { ok: true, settings: value } : { ok: false, message };
}

function problemOf(settings: JsonObject): string | undefined {
  const { permissions, env, sandbox } = settings;
  if (env !== undefined && !isJsonObject(env)) return 'env is not an object';
  const inSandbox = sandbox === undefined ? undefined : sandboxProblem(sandbox);
  if (inSandbox !== undefined) return inSandbox;
  if (permissions === undefined) return undefined;
  if (!isJsonObject(permissions)) return 'permissions is not an object';
  for (const list of ['allow', 'ask', 'deny', 'additionalDirectories']) {
    if (!isStrings(permissions[list])) return `permissions.${list} is not a list of strings`;
  }
  const { defaultMode, examples } = permissions;
  if (defaultMode !== undefined && typeof defaultMode !== 'string')
    return 'permissions.defaultMode is not a string';
  if (examples === undefined) return undefined;
  if (!isJsonObject(examples)) return 'permissions.examples is not an object';
  for (const [rule, example] of Object.entries(examples)) {
    if (!isJsonObject(example) || !isStrings(example['match']) || !isStrings(example['not_match'])) {
      return `permissions.examples: ${rule} needs the lists match and not_match`;
    }
  }
  return undefined;
}

/** A user who writes "true" for true would assume a sandbox. */
function sandboxProblem(sandbox: Json): string | undefined {
  if (!isJsonObject(sandbox)) return 'sandbox is not an object';
  for (const name of [
    'enabled',
    'failIfUnavailable',
    'autoAllowBashIfSandboxed',
    'allowUnsandboxedCommands',
    'enableWeakerNestedSandbox',
  ]) {
    if (!['boolean', 'undefined'].includes(typeof sandbox[name]))
      return `sandbox.${name} is not true or false`;
  }
  if (!['auto', 'off', undefined].some((word) => word === sandbox['readOnlyView']))
    return 'sandbox.readOnlyView is not auto or off';
  if (!isStrings(sandbox['excludedCommands'])) return 'sandbox.excludedCommands is not a list of strings';
  const lists = {
    filesystem: ['allowWrite', 'denyWrite', 'denyRead', 'allowRead'],
    network: ['allowedDomains', 'deniedDomains', 'allowUnixSockets'],
  };
  for (const [part, names] of Object.entries(lists)) {
    const inner = sandbox[part];
    if (inner === undefined) continue;
    if (!isJsonObject(inner)) return `sandbox.${part} is not an object`;
    const bad = names.find((name) => !isStrings(inner[name]));
    if (bad !== undefined) return `sandbox.${part}.${bad} is not a list of strings`;
  }
  return undefined;
}

function isStrings(value: Json | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
}

export function stringsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
