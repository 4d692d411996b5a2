/** Opens the hooks of a session, and the settings files that may change them while the session runs. */
import type { SessionExtensions } from '@heddle/agent/extensions';
import { mcpToolHandler } from '@heddle/agent/hooks';
import type { SessionInstructions } from '@heddle/agent/instructions';
import type { RunOptions } from '../arguments/arguments.ts';
import { LiveServers } from './live-servers.ts';
import { serverToolPort } from './hook-ports.ts';
import { LiveSettings } from './live-settings.ts';
import { AddedDirectories } from './session-events.ts';
import { SessionHooks } from './session-hooks.ts';
import type { SessionTeam } from './session-team.ts';
import type { SessionTools } from './session-tools.ts';
import type { StartContext } from './start-context.ts';

/** A verdict of a hook is short. */
const HOOK_ANSWER_TOKENS = 1_000;

export interface HookSources {
  readonly tools: SessionTools;
  readonly team: SessionTeam;
  readonly extensions: SessionExtensions;
  readonly instructions: SessionInstructions;
}

export interface OpenedHooks {
  readonly hooks: SessionHooks;
  /** Applies changed settings, and reports changed files and added folders to hooks. Called between two requests. */
  readonly refresh: () => Promise<void>;
}

export function openHooks(
  context: StartContext,
  { tools, team, extensions, instructions }: HookSources,
): OpenedHooks {
  const { command, options, surface, choice, session, notify, confinement, listeners, agent } = context;
  const { declaredHooks = [], rules, mcp, mainAgent, plugins = [], loadedSettings: loaded } = options;
  const { source = 'startup' } = surface;
  const hooks = new SessionHooks({
    declared: declaredHooks,
    othersInactive: options.hooksInactive,
    cwd: options.cwd,
    projectDir: command.projectConfigRoot,
    source: session.snapshot ? (choice.fork ? 'fork' : 'resume') : source,
    commonInput: () => ({
      session_id: session.id,
      transcript_path: session.journal.path ?? '',
      permission_mode: agent().permissionMode,
    }),
    instructionFiles: () => instructions.applied.map(({ file }) => file),
    messages: () => agent().messages,
    notify,
    remark: (remark) => listeners.addRemark(remark),
    askModel: (question) => agent().askSmall({ ...question, maxTokens: HOOK_ANSWER_TOKENS }),
    askAgent: async (question) => {
      const { agentJudge } = await import('./agent-hook.ts');
      return agentJudge({
        options: { ...options, ...tools.options, ...confinement },
        hooks: hooks.forJudge(),
        charge: (spent) => agent().charge(spent),
      })(question);
    },
    entitle: (title) => context.title.set(title),
    team: (question) => team.atTurnEnd(question),
    commandFiles: context.commandFiles,
    beforePrompt: async (prompt) => {
      await settings?.refreshForPrompt(prompt);
      if (prompt.isOfUser) mcp?.startWaiting();
      directories.report(hooks);
    },
    setupTrigger: setupTriggerOf(command),
    reloadSkills: () => extensions.load(),
  });
  const directories = new AddedDirectories(rules);
  const settings = !command.bare
    ? new LiveSettings({
        flags: command,
        loaded,
        rules,
        hooks,
        notify,
        servers: mcp && new LiveServers({ command, mcp, mainAgent, plugins, rules, notify }),
      })
    : undefined;
  if (mcp) hooks.runner.connectHandler('mcp_tool', mcpToolHandler(serverToolPort(mcp)));
  if (context.telemetry) hooks.onProgress(context.telemetry.agent.onHook);
  const refresh = async (): Promise<void> => {
    await settings?.refresh();
    hooks.reportWatched();
    directories.report(hooks);
  };
  return { hooks, refresh };
}

function setupTriggerOf({
  init,
  initOnly,
  maintenance,
}: Pick<RunOptions, 'init' | 'initOnly' | 'maintenance'>): 'init' | 'maintenance' | undefined {
  if (init || initOnly) return 'init';
  return maintenance ? 'maintenance' : undefined;
}
