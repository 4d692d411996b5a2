/** Control requests that read files again: skills and commands, plugins, output styles. */
import type { PromptFile } from '@heddle/agent/extensions';
import { isRecord } from '@heddle/core';
import path from 'node:path';
import type { ProgramServers } from '../../../mcp/program-servers.ts';
import type { OpenPlugins } from '../../../start/open-plugins.ts';
import type { StartedSession } from '../../../start/start-agent.ts';
import { pluginFolders } from '../initial-request.ts';
import { textIn } from '../json.ts';
import { agentList, allCommands, commandList, OUTPUT_STYLES } from './initialize.ts';
import { controlFailure, type ControlHandlers, controlSuccess } from './reply.ts';

interface PluginDirs {
  readonly pluginDirs: readonly string[];
  readonly pluginDirsNoMcp: readonly string[];
}

export interface ReloadDeps {
  readonly started: Pick<StartedSession, 'agentTypes' | 'extensions' | 'hooks' | 'plugins'>;
  readonly mcp: ProgramServers | undefined;
  readonly cwd: string;
  /** Reads the plugins in these folders under the settings of now. Never rejects. */
  readonly readPlugins: (folders: PluginDirs) => Promise<OpenPlugins>;
}

export function reloadHandlers(deps: ReloadDeps): ControlHandlers {
  const { started, mcp } = deps;
  const { extensions, agentTypes, plugins } = started;
  const reload = async (): Promise<readonly PromptFile[]> => (await extensions.load()).files;
  return {
    reload_skills: async () => controlSuccess({ skills: commandList(await reload()) }),
    reload_plugins: async ({ add_plugins: given }) => {
      const wrong = given === undefined ? undefined : wrongPlugins(given);
      if (wrong !== undefined) return controlFailure(wrong);
      const problems = given === undefined ? [] : await addPlugins(given, deps);
      return controlSuccess({
        commands: allCommands({ files: await reload(), prompts: mcp?.view.prompts ?? [] }),
        agents: agentList(agentTypes.list),
        plugins: plugins.map((plugin) => ({ name: plugin.name, path: plugin.path })),
        mcpServers: (await mcp?.load())?.report() ?? [],
        error_count: extensions.problems.length + problems.length,
      });
    },
    reload_output_styles: () => controlSuccess({ available_output_styles: OUTPUT_STYLES }),
  };
}

function wrongPlugins(given: unknown): string | undefined {
  const entries = Array.isArray(given) ? given : [undefined];
  const isWhole = (entry: unknown): boolean =>
    isRecord(entry) && entry['type'] === 'local' && path.isAbsolute(textIn(entry['path']) ?? '');
  return entries.every(isWhole)
    ? undefined
    : 'add_plugins takes a list of local plugins with absolute paths: [{"type": "local", "path": "/…"}]';
}

/**
 * Adds plugins to the running session. A plugin that is loaded already stays as it is. Returns sentences about what
 * cannot be read.
 */
async function addPlugins(
  given: unknown,
  { started, mcp, cwd, readPlugins }: ReloadDeps,
): Promise<readonly string[]> {
  const { complete, withoutServers } = pluginFolders(given);
  const known = new Set(started.plugins.map((plugin) => plugin.path));
  const isNew = (folder: string): boolean => !known.has(path.resolve(folder));
  const folders = { pluginDirs: complete.filter(isNew), pluginDirsNoMcp: withoutServers.filter(isNew) };
  const { plugins, hooks, servers, notes } = await readPlugins(folders);
  started.plugins.push(...plugins);
  const inAgents = await started.agentTypes.addPlugins(plugins, cwd);
  const roots = plugins.map(
    ({ name, path: folder }) => ({ folder, scope: 'plugin', plugin: name, within: folder }) as const,
  );
  await started.extensions.addRoots(roots);
  if (hooks.length > 0) started.hooks.add(hooks);
  const others = mcp?.view.all.map(({ configured }) => configured).filter(({ scope }) => scope === 'plugin');
  if (servers.length > 0) await (await mcp?.load())?.replace('plugin', [...(others ?? []), ...servers]);
  return [...notes, ...inAgents];
}
