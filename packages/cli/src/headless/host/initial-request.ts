/**
 * The parts of the `initialize` request that the start of the agent needs: types of agents, plugins and managed settings.
 * The program waits for the request only if a flag refers to such a part.
 */
import { isJsonObject, type JsonObject, untilAborted } from '@heddle/core';
import type { PrintCommand } from '../../arguments/arguments.ts';
import { type HostLine, lineIn, textIn } from './json.ts';

type WithRequest =
  | { readonly ok: true; readonly command: PrintCommand }
  | { readonly ok: false; readonly message: string };

/** Resolves to the `initialize` request if it is the first line of the host, else to undefined. */
export class InitialRequest {
  readonly #first = Promise.withResolvers<HostLine | undefined>();

  /** Only the first call has an effect. Undefined: the host closed its side. */
  note(line: HostLine | undefined): void {
    const request = line?.['type'] === 'control_request' ? lineIn(line['request']) : undefined;
    this.#first.resolve(request?.['subtype'] === 'initialize' ? request : undefined);
  }

  /** Adds the parts of the request to the flags. Ends early if the program is to end. */
  async addTo(command: PrintCommand, ending: AbortSignal): Promise<WithRequest> {
    const { agent, awaitsInitialize, hasManagedSettings } = command;
    if (agent === undefined && !awaitsInitialize && !hasManagedSettings) return { ok: true, command };
    const request = (await untilAborted(this.#first.promise, ending, () => undefined)) ?? {};
    const { managedSettings, agents } = request;
    if (hasManagedSettings && !isJsonObject(managedSettings)) return { ok: false, message: NOT_DELIVERED };
    const plugins = pluginFolders(request['plugins']);
    return {
      ok: true,
      command: {
        ...command,
        agents: agentsOf(command.agents, agents),
        pluginDirs: [...command.pluginDirs, ...plugins.complete],
        pluginDirsNoMcp: [...command.pluginDirsNoMcp, ...plugins.withoutServers],
        managedSettings: hasManagedSettings ? JSON.stringify(managedSettings) : command.managedSettings,
      },
    };
  }
}

const NOT_DELIVERED =
  '--managed-settings-in-initialize: the first line of the host is not an initialize request with managedSettings.';

function agentsOf(flag: JsonObject | undefined, given: unknown): JsonObject | undefined {
  return isJsonObject(given) ? { ...given, ...flag } : flag;
}

interface PluginFolders {
  readonly complete: readonly string[];
  /** The host connects the MCP servers of these plugins itself. */
  readonly withoutServers: readonly string[];
}

/** Reads a list of plugins as hosts send it. Other entries are ignored. */
export function pluginFolders(given: unknown): PluginFolders {
  const plugins = (Array.isArray(given) ? given : []).flatMap((entry) => {
    const plugin = lineIn(entry);
    const folder = textIn(plugin?.['path']);
    return folder === undefined ? [] : [{ folder, hasServers: plugin?.['skipMcpDiscovery'] !== true }];
  });
  const withServers = (wanted: boolean): readonly string[] =>
    plugins.filter(({ hasServers }) => hasServers === wanted).map(({ folder }) => folder);
  return { complete: withServers(true), withoutServers: withServers(false) };
}
