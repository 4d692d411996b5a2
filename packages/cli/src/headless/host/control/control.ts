/** Control requests of a host. Each gets exactly one reply; what is not understood gets an error, never silence. */
import type { Started } from '../../start.ts';
import type { HooksOfHost } from '../hooks/host-hooks.ts';
import type { HostPrompt, Inbox, Pass } from '../inbox.ts';
import { type Line, textIn } from '../json.ts';
import type { HostTasks } from '../tasks.ts';
import { type ChangeDoors, setMode, setModel, setThinking } from './changes.ts';
import { contextUsage } from './context-usage.ts';
import { NO_SERVERS, readInitialize } from './initialize.ts';
import { introduction } from './introduction.ts';
import { failure, type Reply, success } from './reply.ts';
import { rewindFiles } from './rewind.ts';

export interface Control {
  answer(request: Line, inbox: Inbox): Promise<Reply>;
  /** The host sent something that cannot wait for the running turn. */
  readonly makeRoom: () => void;
  /** Who has a say in a prompt that came; undefined: nobody. */
  readonly passOf: (prompt: HostPrompt) => Pass | undefined;
  /** Why nothing may be begun for this host. */
  readonly refusal: string | undefined;
}

export interface ControlDoors extends Omit<ChangeDoors, 'agent'> {
  readonly started: Pick<Started, 'agent' | 'checkpoints' | 'entitle'>;
  readonly tasks: HostTasks;
  readonly compactsByItself: boolean;
  readonly hooks: HooksOfHost;
  /** Tells whoever reads standard error. */
  readonly warn: (text: string) => void;
}

export function createControl(doors: ControlDoors): Control {
  const { started, tasks, hooks, warn } = doors;
  const { agent, checkpoints } = started;
  const changeable: ChangeDoors = { ...doors, agent };
  let refusal: string | undefined;
  let servers: readonly string[] = [];

  async function answer(request: Line, inbox: Inbox): Promise<Reply> {
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
        if (id === undefined) return failure('rewind_files needs a user_message_id.');
        return success(await rewindFiles(checkpoints, id, request['dry_run'] === true));
      }
      case 'stop_task': {
        const problem = await tasks.stop(textIn(request['task_id']) ?? '');
        return problem === undefined ? success({}) : failure(problem);
      }
      case 'get_context_usage':
        return success(contextUsage(await agent.contextUsage(), doors.compactsByItself));
      case 'mcp_status':
        return success({
          mcpServers: servers.map((name) => ({ name, status: 'failed', error: NO_SERVERS })),
        });
      default:
        return failure(`Unsupported control request subtype: ${subtype}`);
    }
  }

  function initialize(request: Line, inbox: Inbox): Reply {
    const wishes = readInitialize(request);
    if (wishes.refusal !== undefined) {
      // A host may rely on it to forbid things: without it nothing is begun.
      inbox.clear();
      inbox.close();
      refusal = wishes.refusal;
      return failure(refusal);
    }
    for (const note of wishes.notes) warn(note);
    if (wishes.title !== undefined) started.entitle(wishes.title);
    servers = wishes.servers;
    if (wishes.hooks.size > 0) hooks.join(wishes.hooks);
    agent.change(wishes.changes);
    return success(introduction(doors.firstModel, agent.permissionMode));
  }

  function interrupt(cancelsQueued: boolean, inbox: Inbox): Reply {
    const cancelled = cancelsQueued ? inbox.clear() : undefined;
    // Not the reason of somebody who sent a new message: the model is told that it was interrupted.
    agent.abort('interrupted by the host');
    hooks.giveUpWaiting();
    return success({ still_queued: inbox.uuids, ...(cancelled ? { cancelled } : {}) });
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
