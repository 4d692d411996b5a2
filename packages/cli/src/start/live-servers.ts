/**
 * MCP servers whose configuration changes while a session runs. The files are looked at before each prompt and between two
 * requests. Trust and policy are read again, too. A server whose configuration is the same stays connected.
 */
import type { AgentDefinition } from '@heddle/agent';
import { serverFiles } from '@heddle/agent/mcp';
import type { Plugin } from '@heddle/agent/plugins';
import { appliedSettings } from '@heddle/agent/settings';
import type { ConfiguredServer } from '@heddle/mcp/config';
import os from 'node:os';
import path from 'node:path';
import type { RunOptions } from '../arguments/arguments.ts';
import type { PermissionSetup } from '../permissions/setup.ts';
import { openPlugins } from './open-plugins.ts';
import { stateIn, stateOf } from './watched-files.ts';
import {
  mayDescribeServers,
  readAgentServers,
  readConfiguredServers,
  type ServerFlags,
} from '../mcp/open-servers.ts';
import type { ProgramServers } from '../mcp/program-servers.ts';

interface LiveServersSetup {
  readonly command: ServerFlags & Pick<RunOptions, 'pluginDirs' | 'pluginDirsNoMcp'>;
  readonly mcp: ProgramServers;
  readonly mainAgent: AgentDefinition | undefined;
  readonly plugins: readonly Plugin[];
  readonly notify: (text: string) => void;
}

export class LiveServers {
  readonly #setup: LiveServersSetup;
  /** The files of plugins that flags and settings name. A host adds others, and their servers stay. */
  readonly #pluginFiles: Set<string>;
  readonly #notified = new Set<string>();
  #files: readonly string[] | undefined;
  /** The state of each file when it was last read. */
  #seen: ReadonlyMap<string, string>;

  constructor(setup: LiveServersSetup) {
    this.#setup = setup;
    this.#pluginFiles = new Set(setup.plugins.map(serverFileOf));
    this.#seen = new Map([...this.#pluginFiles].map((file) => [file, stateOf(file)]));
    // The servers may be older than the session, and have changed with their files.
    this.hasChanged();
  }

  /** Searches for the files again with the next look: the project may have become a repository. */
  findFiles(): void {
    this.#files = undefined;
  }

  /** Returns true if a file changed since the last call, or since the program read it. */
  hasChanged(): boolean {
    const { mcp, command } = this.#setup;
    // The first request is being prepared, and the files have just been read.
    if (mcp.unexamined) return false;
    if (this.#files === undefined) {
      const { mcpConfig: configs, projectConfigRoot: projectRoot, folder: cwd = process.cwd() } = command;
      const places = { cwd, home: os.homedir(), env: process.env, projectRoot };
      this.#files = [...serverFiles({ ...places, configs }), ...this.#pluginFiles];
    }
    const states = new Map(this.#files.map((file) => [file, stateOf(file)]));
    const isChanged = this.#files.some((file) => states.get(file) !== this.#stateWhenRead(file));
    this.#seen = states;
    return isChanged;
  }

  #stateWhenRead(file: string): string | undefined {
    const { files } = this.#setup.mcp;
    return this.#seen.get(file) ?? (files.has(file) ? stateIn(files.get(file)) : undefined);
  }

  /** Reads all files again, and starts and ends servers accordingly. Never rejects. */
  async apply(permission: PermissionSetup): Promise<void> {
    const { loaded } = permission;
    const { command, mcp, mainAgent, notify } = this.#setup;
    const plugins = await openPlugins(command, loaded, appliedSettings(loaded).merged, permission);
    for (const plugin of plugins.plugins) this.#pluginFiles.add(serverFileOf(plugin));
    const described =
      mainAgent && mayDescribeServers(mainAgent, command) ? readAgentServers(mainAgent).servers : [];
    const read = readConfiguredServers(command, loaded, { plugins: plugins.servers, described });
    const before = this.#names();
    const servers = await mcp.load();
    const { added, removed } = await servers.reconfigure(read, (entry) => this.#isOfHost(entry));
    const changed = added.filter((name) => before.has(name));
    const news = [
      ...named(
        'added',
        added.filter((name) => !before.has(name)),
      ),
      ...named('changed', changed),
      ...named('removed', removed),
    ];
    if (news.length > 0) notify(`The configuration of MCP servers changed: ${news.join('; ')}.`);
    for (const note of mcp.notes) this.#notified.add(note);
    for (const note of read.notes) {
      if (!this.#notified.has(note)) notify(note);
      this.#notified.add(note);
    }
  }

  #isOfHost(entry: ConfiguredServer): boolean {
    if (entry.scope === 'host') return true;
    return entry.scope === 'plugin' && entry.source !== undefined && !this.#pluginFiles.has(entry.source);
  }

  #names(): ReadonlySet<string> {
    return new Set(this.#setup.mcp.view.all.map(({ name }) => name));
  }
}

function serverFileOf(plugin: Plugin): string {
  return path.join(plugin.path, '.mcp.json');
}

function named(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what} ${names.join(', ')}`];
}
