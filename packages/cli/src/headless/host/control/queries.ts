/** Control requests that only read: the window, the cost, the settings, the rules, the hooks, a side question. */
import { type Agent, type LivePermissions, totalCost, VERSION } from '@heddle/agent';
import { type LoadedSettings, mergeSettings } from '@heddle/agent/settings';
import type { DeclaredHook } from '@heddle/agent/hooks';
import { type ContextUsage, estimateText } from '@heddle/context';
import { knownSecrets } from '../../../known-secrets.ts';
import type { ModelOptions } from '../../../start/model-options.ts';
import type { ProgramServers } from '../../../mcp/program-servers.ts';
import { textIn } from '../json.ts';
import type { SessionActivity } from '../turn-lines.ts';
import { modelList } from './initialize.ts';
import { controlFailure, type ControlHandlers, type ControlReply, controlSuccess } from './reply.ts';
import { omitUndefined } from '@heddle/core';

export interface QueryDeps {
  readonly agent: Agent;
  readonly firstModel: ModelOptions;
  readonly permissions: LivePermissions;
  readonly compactsByItself: boolean;
  /** Reads the settings files again. */
  readonly loadSettings: () => Promise<LoadedSettings>;
  /** The instruction files of the session. */
  readonly instructions: readonly { readonly file: string; readonly text: string }[];
  readonly mcp: ProgramServers | undefined;
  /** The hooks of the settings, also those that do not run. */
  readonly declaredHooks: readonly DeclaredHook[];
  readonly agentTypes: readonly { readonly name: string; readonly description: string }[];
  readonly activity: SessionActivity;
}

export function queryHandlers(deps: QueryDeps): ControlHandlers {
  const { agent, firstModel } = deps;
  return {
    get_context_usage: async () =>
      controlSuccess({ ...contextUsage(await agent.contextUsage(), deps), ...contextDetails(deps) }),
    get_session_cost: () => controlSuccess(sessionCost(agent)),
    get_usage: () =>
      controlSuccess({
        session: { ...sessionCost(agent), ...deps.activity.totals },
        subscription_type: null,
        rate_limits_available: false,
        rate_limits: null,
        behaviors: null,
      }),
    get_settings: async () =>
      controlSuccess(knownSecrets.redactValue(settingsReply(await deps.loadSettings()))),
    [SIDE_QUESTION]: ({ question }) => sideQuestion(agent, textIn(question) ?? ''),
    list_models: () => controlSuccess({ models: modelList(firstModel) }),
    list_permission_rules: () => controlSuccess({ state: rulesState(deps.permissions) }),
    get_hooks_listing: async () =>
      controlSuccess(knownSecrets.redactValue(await hooksListing(deps.declaredHooks))),
    // No work depends on whether a user watches.
    set_has_subscribers: () => controlSuccess(),
    get_binary_version: () => controlSuccess({ version: VERSION }),
  };
}

/** Takes as long as an answer of the model, so later lines of the host do not wait for it. */
export const SIDE_QUESTION = 'side_question';

async function sideQuestion(agent: Agent, question: string): Promise<ControlReply> {
  const { asideAnswer } = await import('../../../slash/answers.ts');
  const answer = await asideAnswer(agent, question);
  return answer.ok ? controlSuccess({ response: answer.text }) : controlFailure(answer.message);
}

function contextUsage(
  { categories, window, state, model, thresholds }: ContextUsage,
  { compactsByItself: isAutoCompactEnabled }: QueryDeps,
): object {
  return {
    categories: categories.map(({ name, tokens }) => ({ name, tokens, kind: 'used', color: '' })),
    totalTokens: state.tokens,
    maxTokens: thresholds.blocking,
    rawMaxTokens: window,
    percentage: Math.min(100, Math.round((state.tokens / window) * 100)),
    model,
    autoCompactThreshold: thresholds.autoCompact,
    isAutoCompactEnabled,
    // Heddle does not have a grid.
    gridRows: [],
    apiUsage: null,
  };
}

/** Details that other agents show, as far as Heddle knows them. */
function contextDetails({ instructions, mcp, agentTypes }: QueryDeps): object {
  const servers = mcp?.view.tools ?? [];
  return {
    memoryFiles: instructions.map(({ file, text }) => ({
      path: file,
      type: 'Project',
      tokens: estimateText(text),
    })),
    mcpTools: servers.map(({ name, server, description, inputJSONSchema }) => ({
      name,
      serverName: server,
      tokens: estimateText(name + description + JSON.stringify(inputJSONSchema)),
    })),
    agents: agentTypes.map(({ name, description }) => ({
      agentType: name,
      source: 'session',
      tokens: estimateText(name + description),
    })),
  };
}

/** The hooks as a host lists them. Those of the host itself are not listed. */
async function hooksListing(declared: readonly DeclaredHook[]): Promise<object> {
  const { HOOK_EVENT_NAMES, traitsOf, describeHandler } = await import('@heddle/agent/hooks');
  const catalog = HOOK_EVENT_NAMES.map((name) => ({
    name,
    summary: name,
    supportsMatcher: traitsOf(name).matchField !== undefined,
  }));
  const counts = Map.groupBy(declared, ({ hook }) => hook.event);
  return {
    events: catalog.flatMap((event) => {
      const hookCount = counts.get(event.name)?.length ?? 0;
      return hookCount === 0 ? [] : [{ ...event, hookCount }];
    }),
    hooks: declared.map(({ hook, scope, inactive }) => ({
      event: hook.event,
      matcher: hook.matcher,
      source: SOURCES[scope] ?? scope,
      sourceLabel: hook.source,
      type: hook.handler.type,
      displayText: describeHandler(hook.handler),
      commandText: describeHandler(hook.handler),
      contentLabel: hook.handler.type,
      timeout: hook.timeoutMs / 1_000,
      ...omitUndefined({ condition: hook.condition }),
      ...(inactive === undefined ? {} : { disabled: true }),
    })),
    eventCatalog: catalog,
    policy: {
      disabledByPolicy: false,
      managedOnly: declared.some(({ inactive }) => inactive === 'allowManagedHooksOnly'),
      pluginOnly: false,
      allDisabled: declared.some(({ inactive }) => inactive === 'disableAllHooks'),
      policyHookCount: declared.filter(({ scope }) => scope === 'managed').length,
    },
  };
}

function sessionCost({ spending }: Agent): object {
  return { total_cost_usd: totalCost(spending), model_usage: spending.models };
}

/** Sources as the protocol names them. */
const SOURCES: Readonly<Record<string, string>> = {
  managed: 'policySettings',
  'command line': 'flagSettings',
  local: 'localSettings',
  project: 'projectSettings',
  user: 'userSettings',
  session: 'session',
};

/** The values that count, and the content of each file from the lowest scope to the highest. */
function settingsReply({ files, problems }: LoadedSettings): object {
  const lowestFirst = files.toReversed();
  return {
    effective: mergeSettings(files),
    sources: lowestFirst.map(({ source, settings, file }) => ({
      source: SOURCES[source] ?? source,
      settings,
      path: file,
    })),
    errors: problems.map((message) => ({ message })),
  };
}

function rulesState({ rules, directories }: LivePermissions): object {
  const list = (['allow', 'ask', 'deny'] as const).flatMap((behavior) =>
    rules[behavior].map(({ text, source }) => ({
      rule: text,
      behavior,
      source: SOURCES[source] ?? source,
    })),
  );
  return {
    rules: list,
    workspaceDirectories: directories.map((directory) => ({ path: directory, source: 'session' })),
    originalCwd: process.cwd(),
    managedOnly: false,
  };
}
