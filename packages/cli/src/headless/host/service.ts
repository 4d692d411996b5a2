/** Everything that a host has of a running conversation beside its prompts: requests, hooks, news of background tasks. */
import { type SdkMessage, newUuid } from '@heddle/agent';
import { appliedSettings } from '@heddle/agent/settings';
import { type PermissionFlags, permissionSetup } from '../../permissions/setup.ts';
import type { PrintCommand } from '../../arguments/arguments.ts';
import type { AgentSetup } from '../../start/agent-options.ts';
import type { ModelOptions, ModelRead } from '../../start/model-options.ts';
import type { StartedSession } from '../../start/start-agent.ts';
import { createControl } from './control/control.ts';
import { allCommands } from './control/initialize.ts';
import { hostServersReady, watchPrompts } from './control/servers.ts';
import { HooksOfHost } from './hooks/host-hooks.ts';
import type { Host, TakenPrompt } from './host.ts';
import { HostTasks } from './tasks.ts';
import { SessionActivity } from './turn-lines.ts';
import { warn } from '../../terminal/write-message.ts';

export interface Service {
  /** Returns the output that replaces a turn if this prompt must not start one. */
  insteadOf(prompt: TakenPrompt): Promise<readonly SdkMessage[] | undefined>;
  /** A line of a turn was written. */
  note(line: SdkMessage): void;
  /** A prompt that waits for its hooks is not taken up any more. */
  giveUpWaiting(): void;
  /** The program ends. */
  end(): void;
}

export interface ServiceSetup {
  readonly options: AgentSetup;
  /** The flags that the settings are read with. */
  readonly flags: PermissionFlags & Pick<PrintCommand, 'hasManagedSettings'>;
  /** The model that the program was started with. */
  readonly firstModel: ModelOptions;
  readonly model: (name: string) => Promise<ModelRead>;
  readonly write: (line: SdkMessage) => Promise<void>;
}

/** Undefined for a host that only has one prompt. */
export function serve(host: Host, started: StartedSession, setup: ServiceSetup): Service | undefined {
  if (!host.requests || !host.serve) return undefined;
  const { options, flags, write } = setup;
  const { rules: permissions } = options;
  const tasks = new HostTasks(started.tasks, started.agent, write);
  const hooks = new HooksOfHost(started, host.requests, write);
  const activity = new SessionActivity();
  const control = createControl({
    ...setup,
    started,
    tasks,
    permissions,
    loadSettings: async () => (await permissionSetup(flags)).loaded,
    objectionToRead: async (file) => {
      const { explainPermission } = await import('../../permissions/explain.ts');
      const { permissionMode: mode } = started.agent;
      const now = { rules: permissions.rules, directories: permissions.directories };
      const standing = { ...(await permissionSetup(flags)), ...now, mode };
      const { decision, reason } = await explainPermission('Read', { file_path: file }, standing);
      return decision === 'allow' ? undefined : reason;
    },
    requestOptions: options.requestOptions,
    compactsByItself: options.config?.gates?.autoCompact !== false,
    hooks,
    mcp: options.mcp,
    declaredHooks: options.declaredHooks ?? [],
    activity,
    mainAgent: options.mainAgent,
    readPlugins: async (folders) => {
      const { openPlugins } = await import('../../start/open-plugins.ts');
      const setup = await permissionSetup(flags);
      const { loaded } = setup;
      const { enabledPlugins: _enabled, ...merged } = appliedSettings(loaded).merged;
      return openPlugins({ ...folders, bare: false }, loaded, merged, setup);
    },
    cwd: options.cwd,
    hasManagedSettings: flags.hasManagedSettings,
    warn: (text) => warn(text),
  });
  started.listen((event) => tasks.note(event));
  const { mcp } = options;
  const unwatch =
    mcp &&
    watchPrompts(mcp, () => {
      const commands = allCommands({ files: started.extensions.files, prompts: mcp.view.prompts });
      const stamp = { uuid: newUuid(), session_id: started.agent.sessionId };
      void write({ type: 'system', subtype: 'commands_changed', ...stamp, commands });
    });
  started.listenToSubagents((line) => tasks.noteLine(line));
  host.serve(control);
  return {
    insteadOf: async ({ pass }) => {
      if (options.mcp) await hostServersReady(options.mcp);
      return hooks.insteadOf(pass);
    },
    note: (line) => activity.note(line),
    giveUpWaiting: () => hooks.giveUpWaiting(),
    end: () => {
      unwatch?.();
      tasks.end();
    },
  };
}
