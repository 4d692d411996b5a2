/** Control requests that read files again: skills and commands, plugins, output styles. */
import type { PromptFile } from '@heddle/agent/extensions';
import type { ProgramServers } from '../../../mcp/program-servers.ts';
import type { Started } from '../../../start/start-agent.ts';
import { agentList, allCommands, commandList, OUTPUT_STYLES } from './initialize.ts';
import { type ControlHandlers, controlSuccess } from './reply.ts';

export interface ReloadDeps {
  readonly started: Pick<Started, 'agentTypes' | 'extensions'>;
  readonly plugins: readonly { readonly name: string; readonly path: string }[];
  readonly mcp: ProgramServers | undefined;
}

/** Plugins themselves are chosen by settings and flags at the start. Their files are read again. */
export function reloadHandlers({ started, plugins, mcp }: ReloadDeps): ControlHandlers {
  const { extensions, agentTypes } = started;
  const reload = async (): Promise<readonly PromptFile[]> => (await extensions.load()).files;
  return {
    reload_skills: async () => controlSuccess({ skills: commandList(await reload()) }),
    reload_plugins: async () =>
      controlSuccess({
        commands: allCommands({ files: await reload(), prompts: mcp?.servers.prompts ?? [] }),
        agents: agentList(agentTypes.list),
        plugins: plugins.map(({ name, path }) => ({ name, path })),
        mcpServers: mcp?.servers.report() ?? [],
        error_count: extensions.problems.length,
      }),
    reload_output_styles: () => controlSuccess({ available_output_styles: OUTPUT_STYLES }),
  };
}
