/** Control requests of a host. Each gets exactly one reply. A request that is not understood gets an error. */
import type { CheckpointStore } from '@heddle/tools';
import type { AgentSetup } from '../../../start/agent-options.ts';
import type { StartedSession } from '../../../start/start-agent.ts';
import type { HooksOfHost } from '../hooks/host-hooks.ts';
import type { HostPrompt, HostPromptQueue, Pass } from '../inbox.ts';
import { type HostLine, textIn } from '../json.ts';
import type { HostTasks } from '../tasks.ts';
import { type ChangeDeps, changeHandlers } from './changes.ts';
import type { ProgramServers } from '../../../mcp/program-servers.ts';
import { introduction, readInitialize } from './initialize.ts';
import { type FileDeps, fileHandlers } from './files.ts';
import { type QueryDeps, queryHandlers } from './queries.ts';
import { type ReloadDeps, reloadHandlers } from './reloads.ts';
import {
  controlFailure,
  type ControlHandlers,
  type ControlReply,
  controlSuccess,
  unsupported,
} from './reply.ts';
import { addHostServers, serverHandlers } from './servers.ts';

export interface Control {
  answer(request: HostLine, inbox: HostPromptQueue): Promise<ControlReply>;
  /** The host sent something that cannot wait for the running turn. */
  readonly makeRoom: () => void;
  /** Returns the decision of the host's hooks about a new prompt, or undefined if no hook decides. */
  readonly passOf: (prompt: HostPrompt) => Pass | undefined;
  /** Stores a prompt that has to wait, and reports it. */
  readonly queued: (prompt: HostPrompt) => void;
}

interface ControlDeps
  extends Omit<
    ChangeDeps & QueryDeps & FileDeps & ReloadDeps,
    'agent' | 'agentTypes' | 'entitle' | 'instructions' | 'started'
  > {
  readonly started: Pick<
    StartedSession,
    | 'agent'
    | 'agentTypes'
    | 'checkpoints'
    | 'entitle'
    | 'extensions'
    | 'forwardSubagentText'
    | 'hooks'
    | 'instructions'
    | 'plugins'
    | 'refresh'
  >;
  readonly tasks: HostTasks;
  readonly hooks: HooksOfHost;
  readonly mcp: ProgramServers | undefined;
  /** The agent that the main conversation runs as. */
  readonly mainAgent: AgentSetup['mainAgent'];
  /** The managed settings of the first line were in force from the start. */
  readonly hasManagedSettings: boolean;
  /** Writes a warning to standard error. */
  readonly warn: (text: string) => void;
}

export function createControl(deps: ControlDeps): Control {
  const { started, tasks, hooks } = deps;
  const { agent, checkpoints, entitle } = started;

  const handlers: ControlHandlers = {
    initialize: (request) => initialize(deps, request),
    interrupt: ({ cancel_queued }, inbox) => interrupt(cancel_queued === true, inbox),
    cancel_async_message: ({ message_uuid: id }, inbox) =>
      controlSuccess({ cancelled: cancelQueued(textIn(id) ?? '', inbox) }),
    rewind_files: ({ user_message_id: id, dry_run }) =>
      rewindForHost(checkpoints, textIn(id), dry_run === true),
    stop_task: async ({ task_id: id }) => {
      const problem = await tasks.stop(textIn(id) ?? '');
      return problem === undefined ? controlSuccess({}) : controlFailure(problem);
    },
    background_tasks: ({ tool_use_id: id }) =>
      controlSuccess({ backgrounded: tasks.moveToBackground(textIn(id)) }),
    get_task_output: ({ task_id: id }) => {
      const output = tasks.output(textIn(id) ?? '');
      return output ? controlSuccess(output) : controlFailure(`There is no task ${String(id)}.`);
    },
    ...serverHandlers(deps.mcp, deps.permissions, deps.started.refresh),
    ...reloadHandlers(deps),
    ...changeHandlers({ ...deps, agent, entitle }),
    ...fileHandlers({ ...deps, agent }),
    ...queryHandlers({
      ...deps,
      agent,
      get instructions() {
        return started.instructions.found.files;
      },
      get agentTypes() {
        return started.agentTypes.list;
      },
    }),
  };

  function cancelQueued(uuid: string, inbox: HostPromptQueue): boolean {
    const wasWaiting = inbox.cancel(uuid);
    if (wasWaiting) agent.queue.cancel([uuid]);
    return wasWaiting;
  }

  function interrupt(cancelsQueued: boolean, inbox: HostPromptQueue): ControlReply {
    const cancelled = cancelsQueued ? inbox.clear() : undefined;
    agent.queue.cancel(cancelled ?? []);
    // This reason differs from that of a new message. The model is told that it was interrupted.
    agent.abort('interrupted by the host');
    hooks.giveUpWaiting();
    return controlSuccess({ still_queued: inbox.uuids, cancelled });
  }

  return {
    answer: async (request, inbox) => {
      const subtype = textIn(request['subtype']) ?? '';
      const handler = Object.hasOwn(handlers, subtype) ? handlers[subtype] : undefined;
      return handler ? handler(request, inbox) : unsupported(request['subtype']);
    },
    makeRoom() {
      agent.abort('interrupt');
      hooks.giveUpWaiting();
    },
    passOf: (prompt) => hooks.passOf(prompt),
    queued: ({ uuid, content, priority, isNamed }) =>
      agent.queue.add({ commandId: uuid, prompt: content, priority, isSilent: !isNamed }),
  };
}

/** Applies the wishes of the host for the session, and answers with what the session offers. */
async function initialize(deps: ControlDeps, request: HostLine): Promise<ControlReply> {
  const { started, hooks, warn } = deps;
  const { agent } = started;
  const wishes = readInitialize(request);
  const { agents } = request;
  const problems = agents === undefined || agents === null ? [] : started.agentTypes.add(agents);
  for (const note of [...wishes.notes, ...problems]) warn(note);
  if (wishes.title !== undefined) started.entitle(wishes.title);
  if (deps.mcp) await addHostServers(deps.mcp, wishes.servers);
  if (wishes.hooks.length > 0) hooks.join(wishes.hooks);
  if (wishes.forwardsSubagentText) started.forwardSubagentText();
  if (wishes.skills !== undefined) started.extensions.limitSkills(wishes.skills);
  // The prompt of the agent that the conversation runs as replaces that of the host.
  agent.change(deps.mainAgent ? { ...wishes.changes, systemPrompt: undefined } : wishes.changes);
  const { extensions, agentTypes } = started;
  const prompts = deps.mcp?.view.prompts ?? [];
  const offers = { files: extensions.files, prompts, agents: agentTypes.list };
  const loaded = new Set(started.plugins.map((plugin) => plugin.path));
  const applied = {
    ...(wishes.plugins && { plugins_applied: wishes.plugins.every((folder) => loaded.has(folder)) }),
    ...(deps.hasManagedSettings ? { managed_settings_applied: true } : {}),
  };
  return controlSuccess({ ...introduction(deps.firstModel, agent.permissionMode, offers), ...applied });
}

async function rewindForHost(
  checkpoints: CheckpointStore | undefined,
  messageId: string | undefined,
  dryRun: boolean,
): Promise<ControlReply> {
  if (messageId === undefined) return controlFailure('rewind_files needs a user_message_id.');
  if (!checkpoints)
    return controlSuccess({
      canRewind: false,
      error: 'This session keeps nothing, and so no files either.',
    });
  const rewound = await checkpoints.rewind(messageId, { dryRun });
  if (!rewound.canRewind) return controlSuccess(rewound);
  const { filesChanged, insertions, deletions, skippedLinks, failed } = rewound;
  const error = failed.map(({ path, why }) => `${path}: ${why}`).join('\n');
  if (filesChanged.length === 0 && error !== '') return controlSuccess({ canRewind: false, error });
  return controlSuccess({
    canRewind: true,
    filesChanged,
    insertions,
    deletions,
    skippedLinks: dryRun ? undefined : skippedLinks.length,
    error: error === '' ? undefined : error,
  });
}
