/** Control requests of a host. Each gets exactly one reply; what is not understood gets an error, never silence. */
import type { Agent, SdkMessage } from '@heddle/agent';
import type { ContextUsage } from '@heddle/context';
import type { PermissionMode, RequestOptions } from '@heddle/core';
import type { CheckpointStore } from '@heddle/tools';
import { randomUUID } from 'node:crypto';
import type { ModelOptions, ModelRead } from '../../../start/model-options.ts';
import type { Started } from '../../../start/start-agent.ts';
import type { HooksOfHost } from '../hooks/host-hooks.ts';
import type { HostPrompt, HostPromptQueue, Pass } from '../inbox.ts';
import { type HostLine, textIn } from '../json.ts';
import type { HostTasks } from '../tasks.ts';
import {
  controlFailure,
  type ControlReply,
  controlSuccess,
  introduction,
  NO_SERVERS,
  readInitialize,
} from './initialize.ts';

export interface Control {
  answer(request: HostLine, inbox: HostPromptQueue): Promise<ControlReply>;
  /** The host sent something that cannot wait for the running turn. */
  readonly makeRoom: () => void;
  /** Returns the decision of the host's hooks about a new prompt, or undefined if no hook decides. */
  readonly passOf: (prompt: HostPrompt) => Pass | undefined;
  /** Why nothing may be begun for this host. */
  readonly refusal: string | undefined;
}

interface ControlDeps extends Omit<ChangeDeps, 'agent'> {
  readonly started: Pick<Started, 'agent' | 'checkpoints' | 'entitle'>;
  readonly tasks: HostTasks;
  readonly compactsByItself: boolean;
  readonly hooks: HooksOfHost;
  /** Writes a warning to standard error. */
  readonly warn: (text: string) => void;
}

export function createControl(deps: ControlDeps): Control {
  const { started, tasks, hooks, warn } = deps;
  const { agent, checkpoints } = started;
  const changeable: ChangeDeps = { ...deps, agent };
  let refusal: string | undefined;
  let servers: readonly string[] = [];

  async function answer(request: HostLine, inbox: HostPromptQueue): Promise<ControlReply> {
    const subtype = textIn(request['subtype']);
    switch (subtype) {
      case 'initialize':
        return initialize(request, inbox);
      case 'interrupt':
        return interrupt(request['cancel_queued'] === true, inbox);
      case 'set_permission_mode':
        return setMode(textIn(request['mode']), changeable);
      case 'set_model':
        return setModel(textIn(request['model']), changeable);
      case 'set_max_thinking_tokens':
        return setThinking(request['max_thinking_tokens'] ?? null, changeable);
      case 'rewind_files': {
        const id = textIn(request['user_message_id']);
        if (id === undefined) return controlFailure('rewind_files needs a user_message_id.');
        return controlSuccess(await rewindForHost(checkpoints, id, request['dry_run'] === true));
      }
      case 'stop_task': {
        const problem = await tasks.stop(textIn(request['task_id']) ?? '');
        return problem === undefined ? controlSuccess({}) : controlFailure(problem);
      }
      case 'get_context_usage':
        return controlSuccess(contextUsage(await agent.contextUsage(), deps.compactsByItself));
      case 'mcp_status':
        return controlSuccess({
          mcpServers: servers.map((name) => ({ name, status: 'failed', error: NO_SERVERS })),
        });
      default:
        return controlFailure(`Unsupported control request subtype: ${subtype}`);
    }
  }

  function initialize(request: HostLine, inbox: HostPromptQueue): ControlReply {
    const wishes = readInitialize(request);
    if (wishes.refusal !== undefined) {
      // A host may rely on it to forbid things: without it nothing is begun.
      inbox.clear();
      inbox.close();
      refusal = wishes.refusal;
      return controlFailure(refusal);
    }
    for (const note of wishes.notes) warn(note);
    if (wishes.title !== undefined) started.entitle(wishes.title);
    servers = wishes.servers;
    if (wishes.hooks.length > 0) hooks.join(wishes.hooks);
    agent.change(wishes.changes);
    return controlSuccess(introduction(deps.firstModel, agent.permissionMode));
  }

  function interrupt(cancelsQueued: boolean, inbox: HostPromptQueue): ControlReply {
    const cancelled = cancelsQueued ? inbox.clear() : undefined;
    // This reason differs from that of a new message. The model is told that it was interrupted.
    agent.abort('interrupted by the host');
    hooks.giveUpWaiting();
    return controlSuccess({ still_queued: inbox.uuids, cancelled });
  }

  return {
    answer,
    makeRoom() {
      agent.abort('interrupt');
      hooks.giveUpWaiting();
    },
    passOf: (prompt) => hooks.passOf(prompt),
    get refusal() {
      return refusal;
    },
  };
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

async function rewindForHost(
  checkpoints: CheckpointStore | undefined,
  messageId: string,
  dryRun: boolean,
): Promise<object> {
  if (!checkpoints) return { canRewind: false, error: 'This session keeps nothing, and so no files either.' };
  const rewound = await checkpoints.rewind(messageId, { dryRun });
  if (!rewound.canRewind) return rewound;
  const { filesChanged, insertions, deletions, skippedLinks, failed } = rewound;
  const error = failed.map(({ path, why }) => `${path}: ${why}`).join('\n');
  if (filesChanged.length === 0 && error !== '') return { canRewind: false, error };
  return {
    canRewind: true,
    filesChanged,
    insertions,
    deletions,
    skippedLinks: dryRun ? undefined : skippedLinks.length,
    error: error === '' ? undefined : error,
  };
}

interface ChangeDeps {
  readonly agent: Agent;
  /** The model that the program was started with. */
  readonly firstModel: ModelOptions;
  readonly model: (name: string) => Promise<ModelRead>;
  readonly requestOptions: RequestOptions | undefined;
  readonly write: (line: SdkMessage) => Promise<void>;
}

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];

async function setMode(wanted: string | undefined, { agent, write }: ChangeDeps): Promise<ControlReply> {
  const mode = MODES.find((known) => known === wanted);
  if (!mode) return controlFailure(`There is no permission mode ${wanted}; there are ${MODES.join(', ')}.`);
  if (!agent.setPermissionMode(mode))
    return controlFailure(
      `${mode} can only be switched on where the program was started with permission for it.`,
    );
  await write({
    type: 'system',
    subtype: 'status',
    uuid: randomUUID(),
    session_id: agent.sessionId,
    status: null,
    permissionMode: mode,
  });
  return controlSuccess({ mode });
}

async function setModel(
  wanted: string | undefined,
  { agent, firstModel, model }: ChangeDeps,
): Promise<ControlReply> {
  const isFirst = wanted === undefined || wanted === 'default';
  const found: ModelRead = isFirst ? { ok: true, options: firstModel } : await model(wanted);
  if (!found.ok) return controlFailure(found.message);
  agent.change(found.options);
  return controlSuccess({ model: found.options.modelName });
}

/** Null: what the program was started with. */
function setThinking(tokens: unknown, { agent, requestOptions }: ChangeDeps): ControlReply {
  if (tokens !== null && (typeof tokens !== 'number' || !Number.isInteger(tokens) || tokens < 0))
    return controlFailure('max_thinking_tokens takes a whole number, or null.');
  const given =
    tokens === null
      ? {}
      : { thinking: tokens === 0 ? DISABLED : ({ type: 'enabled', budget_tokens: tokens } as const) };
  agent.change({ requestOptions: { ...requestOptions, ...given } });
  return { subtype: 'success' };
}

const DISABLED = { type: 'disabled' } as const;
