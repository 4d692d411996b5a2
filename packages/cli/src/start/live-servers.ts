/**
 * MCP servers whose configuration changes while a session runs. The files are looked at before each prompt and between two
 * requests. Trust and policy are read again, too. A server whose configuration is the same stays connected. A call of the model may
 * change files in the working folders, so their servers stay as they are until the next prompt of the user.
 */
import type { AgentDefinition, LivePermissions } from '@heddle/agent';
import { serverFiles } from '@heddle/agent/mcp';
import type { Plugin } from '@heddle/agent/plugins';
import { appliedSettings } from '@heddle/agent/settings';
import type { ConfiguredServer } from '@heddle/mcp/config';
import os from 'node:os';
import path from 'node:path';
import type { RunOptions } from '../arguments/arguments.ts';
import type { PermissionSetup } from '../permissions/setup.ts';
import { changeableFiles } from './changeable-files.ts';
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
  readonly rules: LivePermissions;
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
  /** A file in a working directory changed since the latest prompt of the user. */
  #areHeld = false;
  readonly #isChangeable: (file: string) => boolean;

  constructor(setup: LiveServersSetup) {
    this.#setup = setup;
    this.#pluginFiles = new Set(setup.plugins.map(serverFileOf));
    this.#seen = new Map([...this.#pluginFiles].map((file) => [file, stateOf(file)]));
    this.#isChangeable = changeableFiles(setup.command.folder ?? process.cwd(), setup.rules);
    // The servers may be older than the session, and have changed with their files.
    this.takeChanges(true);
  }

  /** Searches for the files again with the next look: the project may have become a repository. */
  findFiles(): void {
    this.#files = undefined;
  }

  /**
   * Looks for files that changed since the last call, or since the program read them. `areHeld`: files in working directories
   * apply with the next prompt of the user.
   */
  takeChanges(isOfUser: boolean): { readonly apply: boolean; readonly areHeld: boolean } {
    const changed = this.#changedFiles();
    const changeable = changed.filter((file) => this.#isChangeable(file));
    const apply = isOfUser ? this.#areHeld || changed.length > 0 : changed.length > changeable.length;
    this.#areHeld = !isOfUser && (this.#areHeld || changeable.length > 0);
    return { apply, areHeld: this.#areHeld };
  }

  #changedFiles(): readonly string[] {
    const { mcp, command } = this.#setup;
    // The first request is being prepared, and the files have just been read.
    if (mcp.unexamined) return [];
    if (this.#files === undefined) {
      const { mcpConfig: configs, projectConfigRoot: projectRoot, folder: cwd = process.cwd() } = command;
      const places = { cwd, home: os.homedir(), env: process.env, projectRoot };
      this.#files = [...serverFiles({ ...places, configs }), ...this.#pluginFiles];
    }
    const states = new Map(this.#files.map((file) => [file, stateOf(file)]));
    const changed = this.#files.filter((file) => states.get(file) !== this.#stateWhenRead(file));
    this.#seen = states;
    return changed;
  }

  #stateWhenRead(file: string): string | undefined {
    const { files } = this.#setup.mcp;
    return this.#seen.get(file) ?? (files.has(file) ? stateIn(files.get(file)) : undefined);
  }

  /** Reads all files again, and starts and ends servers accordingly. Never rejects. */
  async apply(permission: PermissionSetup, isOfUser: boolean): Promise<void> {
    const { loaded } = permission;
    const { command, mcp, mainAgent, notify } = this.#setup;
    const plugins = await openPlugins(command, loaded, appliedSettings(loaded).merged, permission);
    for (const plugin of plugins.plugins) this.#pluginFiles.add(serverFileOf(plugin));
    const described =
      mainAgent && mayDescribeServers(mainAgent, command) ? readAgentServers(mainAgent).servers : [];
    const read = readConfiguredServers(command, loaded, { plugins: plugins.servers, described });
    const before = this.#names();
    const servers = await mcp.load();
    const stays = ({ source }: ConfiguredServer): boolean =>
      !isOfUser && source !== undefined && this.#isChangeable(source);
    const { added, removed } = await servers.reconfigure(
      { ...read, servers: read.servers.filter((entry) => !stays(entry)) },
      (entry) => stays(entry) || this.#isOfHost(entry),
    );
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
