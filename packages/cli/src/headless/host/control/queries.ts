/** Control requests that only read: the window, the cost, the settings, the rules, a file, a side question. */
import { open } from 'node:fs/promises';
import path from 'node:path';
import { type Agent, type LivePermissions, totalCost, VERSION } from '@heddle/agent';
import { type LoadedSettings, mergeSettings } from '@heddle/agent/settings';
import type { ContextUsage } from '@heddle/context';
import { errorMessage } from '@heddle/core';
import { knownSecrets } from '../../../known-secrets.ts';
import type { ModelOptions } from '../../../start/model-options.ts';
import { type HostLine, textIn } from '../json.ts';
import { modelList } from './initialize.ts';
import { controlFailure, type ControlHandlers, type ControlReply, controlSuccess } from './reply.ts';

export interface QueryDeps {
  readonly agent: Agent;
  readonly firstModel: ModelOptions;
  readonly permissions: LivePermissions | undefined;
  readonly compactsByItself: boolean;
  /** Reads the settings files again. */
  readonly loadSettings: () => Promise<LoadedSettings>;
  /** Why the Read tool may not read this file, or undefined. */
  readonly objectionToRead: (file: string) => Promise<string | undefined>;
}

export function queryHandlers(deps: QueryDeps): ControlHandlers {
  const { agent, firstModel } = deps;
  return {
    get_context_usage: async () =>
      controlSuccess(contextUsage(await agent.contextUsage(), deps.compactsByItself)),
    get_session_cost: () => controlSuccess(sessionCost(agent)),
    get_usage: () =>
      controlSuccess({
        session: sessionCost(agent),
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
    get_binary_version: () => controlSuccess({ version: VERSION }),
    read_file: (request) => readHostFile(request, deps),
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
  isAutoCompactEnabled: boolean,
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
    // Heddle does not have a grid, nor the finer breakdown of other agents.
    gridRows: [],
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    apiUsage: null,
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

function rulesState(permissions: LivePermissions | undefined): object {
  const rules = permissions?.rules;
  const list = (['allow', 'ask', 'deny'] as const).flatMap((behavior) =>
    (rules?.[behavior] ?? []).map(({ text, source }) => ({
      rule: text,
      behavior,
      source: SOURCES[source] ?? source,
    })),
  );
  const directories = permissions?.directories ?? [];
  return {
    rules: list,
    workspaceDirectories: directories.map((directory) => ({ path: directory, source: 'session' })),
    originalCwd: process.cwd(),
    managedOnly: false,
  };
}

const MAX_FILE_BYTES = 1_000_000;

async function readHostFile(
  { path: asked, max_bytes: limit, encoding }: HostLine,
  { objectionToRead }: QueryDeps,
): Promise<ControlReply> {
  const name = textIn(asked);
  if (name === undefined || name === '') return controlFailure('read_file needs a path.');
  const file = path.resolve(name);
  const objection = await objectionToRead(file);
  if (objection !== undefined) return controlFailure(objection);
  const most = typeof limit === 'number' && limit >= 0 ? Math.min(limit, MAX_FILE_BYTES) : MAX_FILE_BYTES;
  try {
    const { bytes, truncated } = await readStart(file, Math.floor(most));
    const cut = truncated ? { truncated } : {};
    if (encoding === 'base64')
      return controlSuccess({
        contents: bytes.toString('base64'),
        absPath: file,
        encoding: 'base64',
        ...cut,
      });
    const contents = bytes.toString('utf8');
    return controlSuccess({ contents, absPath: file, lossy: !Buffer.from(contents).equals(bytes), ...cut });
  } catch (thrown) {
    return controlFailure(errorMessage(thrown));
  }
}

async function readStart(
  file: string,
  limit: number,
): Promise<{ readonly bytes: Buffer; readonly truncated: boolean }> {
  const handle = await open(file, 'r');
  try {
    const about = await handle.stat();
    // A pipe or a device may never end.
    if (!about.isFile()) throw new Error(`${file} is not a regular file.`);
    const buffer = Buffer.alloc(Math.min(limit, about.size));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return { bytes: buffer.subarray(0, bytesRead), truncated: about.size > bytesRead };
  } finally {
    await handle.close();
  }
}
