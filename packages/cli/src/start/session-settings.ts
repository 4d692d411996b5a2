/**
 * The settings of a session: rules, plugins, the agent that it runs as, and the hooks of all of them. Everything that runs tools
 * reads them here, so that no hook is missing in one place.
 */
import type { AgentDefinition } from '@heddle/agent';
import { type DeclaredHook, type InactiveReason, settingsHooks } from '@heddle/agent/hooks';
import {
  type AppliedSettings,
  appliedSettings,
  isSetByRepository,
  type LoadedSettings,
} from '@heddle/agent/settings';
import type { JsonObject } from '@heddle/core';
import type { RunOptions } from '../arguments/arguments.ts';
import { type PermissionSetup, permissionSetup } from '../permissions/setup.ts';
import { type AgentHookPolicy, agentMemoryFolder, type AgentTypes, readAgentTypes } from './agent-types.ts';
import { storedAgent } from './continued-session.ts';
import { type OpenPlugins, openPlugins } from './open-plugins.ts';

/** The hooks of settings, plugins and the agent, also those that do not run. */
interface HooksOfSession {
  readonly declared: readonly DeclaredHook[];
  /** Why hooks of skills and commands do not run. */
  readonly othersInactive: InactiveReason | undefined;
  readonly notes: readonly string[];
  /** Sentences about hooks that would run, but cannot be read. They are among the notes of the session. */
  readonly missing: readonly string[];
}

interface SessionSettings<Command> {
  readonly ok: true;
  /** The flags with the choices of the agent. */
  readonly command: Command;
  readonly settings: AppliedSettings;
  readonly permission: PermissionSetup;
  /** All places that change what hooks, servers and plugins do. */
  readonly configFiles: PermissionSetup['configFiles'];
  readonly plugins: OpenPlugins;
  readonly hooks: HooksOfSession;
  /** The definitions of agents whose hooks may run. */
  readonly agentHooks: AgentHookPolicy;
  readonly mainAgent: AgentDefinition | undefined;
  /** The types of subagents, if they were read to find the main one. */
  readonly agentTypes: AgentTypes | undefined;
  /** The memory folder of the main agent. */
  readonly memory: string | undefined;
  /** Notes about flags, rules, plugins and the agent, without those about hooks of settings. */
  readonly notes: readonly string[];
}

export async function readSessionSettings<Command extends RunOptions>(
  given: Command,
): Promise<SessionSettings<Command> | { readonly ok: false; readonly message: string }> {
  const before = await permissionSetup(given);
  const settings = appliedSettings(before.loaded);
  const agentHooks = agentHookPolicy(before.loaded, settings.merged);
  const plugins = await openPlugins(given, before.loaded, settings.merged, before);
  const known = { ...before, agentHooks, plugins: plugins.plugins };
  const chosen = await mainAgentOf(given, settings.agent, known);
  if (!chosen.ok) return chosen;
  const { command, mainAgent, agentTypes, memory } = chosen;
  const permission = mainAgent ? await permissionSetup(command) : before;
  const ofSettings = settingsHooks(command.bare ? { files: [], problems: [] } : permission.loaded);
  const { problems, disabled, othersInactive } = ofSettings;
  return {
    ok: true,
    command,
    settings,
    permission,
    configFiles: () => [...permission.configFiles(), ...plugins.files],
    plugins,
    hooks: {
      declared: [...ofSettings.declared, ...plugins.hooks, ...chosen.hooks],
      othersInactive,
      notes: [...problems, ...(disabled === undefined ? [] : [disabled])],
      missing: [...ofSettings.missing, ...plugins.missingHooks, ...chosen.missingHooks],
    },
    agentHooks,
    mainAgent,
    agentTypes,
    memory,
    notes: [plugins, chosen, command, permission].flatMap(({ notes }) => notes),
  };
}

type ChosenAgent<Command> =
  | {
      readonly ok: true;
      readonly command: Command;
      readonly mainAgent?: AgentDefinition;
      readonly agentTypes?: AgentTypes;
      readonly hooks: readonly DeclaredHook[];
      readonly missingHooks: readonly string[];
      readonly notes: readonly string[];
      readonly memory?: string | undefined;
    }
  | { readonly ok: false; readonly message: string };

const NO_HOOKS = { hooks: [], missingHooks: [] };

/** The code of agents loads here only if one is chosen. */
async function mainAgentOf<Command extends RunOptions>(
  command: Command,
  setting: string | undefined,
  known: Pick<PermissionSetup, 'configDirs' | 'rules' | 'mode' | 'loaded'> &
    Pick<OpenPlugins, 'plugins'> & { readonly agentHooks: AgentHookPolicy },
): Promise<ChosenAgent<Command>> {
  const stored = command.agent === undefined ? await storedAgent(command.session) : undefined;
  const name = command.agent ?? stored ?? setting;
  if (name === undefined) return { ok: true, command, ...NO_HOOKS, notes: [] };
  const { findMainAgent, hooksOfMainAgent, runAsAgent } = await import('./main-agent.ts');
  // A flag, and the session that it began, are choices for this folder. A setting is one for all folders.
  const namesOfUser = name === setting && command.agent === undefined && stored === undefined ? [name] : [];
  const place = { ...known, cwd: command.folder ?? process.cwd(), namesOfUser };
  const agentTypes = await readAgentTypes(command, place);
  const from = command.agent === undefined ? 'agent in the settings' : '--agent';
  const found = findMainAgent(agentTypes, name, from);
  if (!found.ok && stored !== undefined) {
    const note = `The session ran as the agent ${stored}, which does not exist any more.`;
    return { ok: true, command, ...NO_HOOKS, notes: [note] };
  }
  if (!found.ok) return found;
  const { agent: mainAgent } = found;
  const isOwnChoice =
    command.agent !== undefined ||
    (stored === undefined && !(await isSetByRepository(known.loaded, 'agent')));
  return {
    ok: true,
    command: runAsAgent(command, mainAgent, { mode: known.mode, isOwnChoice }),
    mainAgent,
    agentTypes,
    ...hooksOfMainAgent(mainAgent),
    memory: agentMemoryFolder(mainAgent, place),
  };
}

function agentHookPolicy({ files }: LoadedSettings, merged: JsonObject): AgentHookPolicy {
  if (merged['disableAllHooks'] === true) return 'none';
  const managedOnly = files.some(
    ({ source, counting }) => source === 'managed' && counting['allowManagedHooksOnly'] === true,
  );
  return managedOnly ? 'managed' : 'all';
}
