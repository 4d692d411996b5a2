/** The files that configure a session: those of flags and settings, and those that commands of hooks and servers run. */
import { readHooks } from '@heddle/agent/hooks';
import { projectTop } from '@heddle/agent/settings';
import type { RunOptions } from '../arguments/arguments.ts';
import { readAgentServers } from '../mcp/open-servers.ts';
import {
  type ConfiguredCommand,
  filesOfCommands,
  hookCommands,
  serverCommands,
} from '../permissions/named-files.ts';
import type { AgentSetup } from './agent-options.ts';
import { CommandFiles } from './command-files.ts';
import type { OpenedParts } from './session-agent.ts';

type CommandSources = Pick<OpenedParts, 'hooks' | 'extensions' | 'agentTypes'>;

/** Hooks and servers may change while the session runs. `parts` is undefined while the session opens, when no call is decided. */
export function sessionFiles(
  options: AgentSetup,
  { projectConfigRoot: projectDir }: Pick<RunOptions, 'projectConfigRoot'>,
  parts: () => CommandSources | undefined,
): NonNullable<AgentSetup['configFiles']> {
  const { cwd, rules, configFiles } = options;
  return () => {
    const sources = parts();
    const commands = sources ? commandsOf(options, sources) : [];
    const places = { cwd, projectDir, directories: rules.directories };
    return [...(configFiles?.() ?? []), ...filesOfCommands(commands, places)];
  };
}

/** Remembers the files of commands with each prompt of the user. Entries of servers are not examined for it. */
export function sessionCommandFiles(
  { cwd, rules, mcp, terminal }: Pick<AgentSetup, 'cwd' | 'rules' | 'mcp' | 'terminal'>,
  { projectConfigRoot: projectDir }: Pick<RunOptions, 'projectConfigRoot'>,
  parts: () => CommandSources | undefined,
): CommandFiles {
  const repository = projectTop(cwd);
  const statusLine = terminal?.statusCommand === undefined ? [] : [{ command: terminal.statusCommand }];
  return new CommandFiles({
    commands: () => {
      const sources = parts();
      const servers = mcp?.unexamined === undefined ? mcp : undefined;
      return [...statusLine, ...(sources ? commandsOf({ mcp: servers }, sources) : [])];
    },
    places: () => ({ cwd, projectDir, directories: rules.directories, repository }),
  });
}

/** Skills and agents bring their hooks and servers when they are used. */
function commandsOf(
  { mcp }: Pick<AgentSetup, 'mcp'>,
  { hooks, extensions, agentTypes }: CommandSources,
): readonly ConfiguredCommand[] {
  const used = [...extensions.files, ...agentTypes.list];
  const later = used.flatMap((one) => readHooks(one.hooks, { source: one.name }).hooks);
  const servers = [
    ...(mcp?.view.all ?? []).map(({ configured }) => configured),
    ...agentTypes.list.flatMap((one) => readAgentServers(one).servers),
  ];
  return [
    ...hookCommands([...hooks.list(), ...later.map((hook) => ({ hook, inactive: undefined }))]),
    ...servers.flatMap(({ config, disabled }) => (disabled === undefined ? serverCommands(config) : [])),
  ];
}
