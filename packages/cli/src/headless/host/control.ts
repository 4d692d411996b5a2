/** Control requests of a host. Each gets exactly one reply; what is not understood gets an error, never silence. */
import { randomUUID } from 'node:crypto';
import { type Agent, type SdkMessage, VERSION } from '@heddle/agent';
import type { PermissionMode, RequestOptions } from '@heddle/core';
import type { ModelRead } from '../model-options.ts';
import type { Inbox } from './inbox.ts';
import { isJsonObject, type Line, textIn } from './json.ts';
import { contextUsage } from './context-usage.ts';

export interface Control {
  answer(request: Line, inbox: Inbox): Promise<Reply>;
  /** The host sent something that cannot wait for the running turn. */
  makeRoom(): void;
  /** Why nothing may be begun for this host. */
  readonly refusal: string | undefined;
}

type Reply =
  | { readonly subtype: 'success'; readonly response?: object }
  | { readonly subtype: 'error'; readonly error: string };

export interface ControlDoors {
  readonly agent: Agent;
  /** What to change for this model; undefined: the one the program started with. */
  readonly model: (name: string | undefined) => Promise<ModelRead>;
  readonly requestOptions: RequestOptions | undefined;
  readonly write: (line: SdkMessage) => Promise<void>;
}

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];

export function createControl({ agent, model, requestOptions, write }: ControlDoors): Control {
  let refusal: string | undefined;

  async function answer(request: Line, inbox: Inbox): Promise<Reply> {
    const subtype = textIn(request['subtype']);
    switch (subtype) {
      case 'initialize':
        return initialize(request, inbox);
      case 'interrupt': {
        const cancelled = request['cancel_queued'] === true ? inbox.clear() : undefined;
        // Not the reason of somebody who sent a new message: the model is told that it was interrupted.
        agent.abort('interrupted by the host');
        return success({ still_queued: inbox.uuids, ...(cancelled ? { cancelled } : {}) });
      }
      case 'set_permission_mode':
        return setMode(textIn(request['mode']));
      case 'set_model': {
        const wanted = textIn(request['model']);
        const found = await model(wanted === 'default' ? undefined : wanted);
        if (!found.ok) return failure(found.message);
        agent.change(found.options);
        return success({ model: found.options.modelName });
      }
      case 'set_max_thinking_tokens':
        return setThinking(request['max_thinking_tokens'] ?? null);
      case 'get_context_usage':
        return success(contextUsage(await agent.contextUsage()));
      case 'mcp_status':
        return success({ mcpServers: [] });
      default:
        return failure(`Unsupported control request subtype: ${subtype}`);
    }
  }

  function initialize(request: Line, inbox: Inbox): Reply {
    const hooks = request['hooks'];
    if (isJsonObject(hooks) && Object.keys(hooks).length > 0) {
      // A host may rely on its hooks to forbid things: without them nothing is begun.
      inbox.clear();
      inbox.close();
      refusal = 'Hooks of a host are not supported yet.';
      return failure(refusal);
    }
    const { appendSystemPrompt, jsonSchema } = request;
    const systemPrompt = promptOf(request['systemPrompt']);
    const append = textIn(appendSystemPrompt);
    agent.change({
      ...(systemPrompt ? { systemPrompt } : {}),
      ...(append === undefined ? {} : { appendSystemPrompt: append }),
      ...(isJsonObject(jsonSchema) ? { outputSchema: jsonSchema } : {}),
    });
    return success({
      commands: [],
      agents: [],
      models: [],
      account: {},
      output_style: 'default',
      available_output_styles: ['default'],
      claude_code_version: VERSION,
      pid: process.pid,
      current_permission_mode: agent.permissionMode,
    });
  }

  async function setMode(wanted: string | undefined): Promise<Reply> {
    const mode = MODES.find((known) => known === wanted);
    if (!mode) return failure(`There is no permission mode ${wanted}; there are ${MODES.join(', ')}.`);
    if (!agent.setPermissionMode(mode))
      return failure(`${mode} can only be switched on where the program was started with permission for it.`);
    await write({
      type: 'system',
      subtype: 'status',
      uuid: randomUUID(),
      session_id: agent.sessionId,
      status: null,
      permissionMode: mode,
    });
    return success({ mode });
  }

  /** Null: what the program was started with. */
  function setThinking(tokens: unknown): Reply {
    if (tokens !== null && (typeof tokens !== 'number' || !Number.isInteger(tokens) || tokens < 0))
      return failure('max_thinking_tokens takes a whole number, or null.');
    const given =
      tokens === null
        ? {}
        : { thinking: tokens === 0 ? DISABLED : ({ type: 'enabled', budget_tokens: tokens } as const) };
    agent.change({ requestOptions: { ...requestOptions, ...given } });
    return { subtype: 'success' };
  }

  return {
    answer,
    makeRoom: () => agent.abort('interrupt'),
    get refusal() {
      return refusal;
    },
  };
}

const DISABLED = { type: 'disabled' } as const;

/** A client whose host says nothing about it sends an empty one, and means: no instructions beyond a name. */
const MINIMAL = 'You are Heddle, a coding agent.';

/** Where some clients mark what may change; here all of it stays as it is. */
const DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

function promptOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const layers = value.filter((layer): layer is string => typeof layer === 'string' && layer.trim() !== '');
  return layers.length === 0 ? [MINIMAL] : layers.filter((layer) => layer !== DYNAMIC_BOUNDARY);
}

function success(response: object): Reply {
  return { subtype: 'success', response };
}

function failure(error: string): Reply {
  return { subtype: 'error', error };
}
