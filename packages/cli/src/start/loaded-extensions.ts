/** The extensions that a session loaded, for its first line and for the line that the user sees at the start. Pure. */
import type { ExtensionNames } from '@heddle/agent';
import type { SessionExtensions } from '@heddle/agent/extensions';
import type { DeclaredHook } from '@heddle/agent/hooks';
import type { Plugin } from '@heddle/agent/plugins';
import { untrustedNote } from '@heddle/agent/settings';
import { pluralize } from '../terminal/amounts.ts';
import { omitUndefined } from '@heddle/core';

export interface LoadedExtensions {
  readonly extensions: SessionExtensions;
  readonly plugins: readonly Plugin[];
}

/** `prompts`: the commands of MCP servers that are connected now. */
export function extensionNames(
  { extensions, plugins }: LoadedExtensions,
  prompts: readonly { readonly command: string }[],
): ExtensionNames {
  const { files } = extensions;
  const fromFiles = files.filter(({ isForUser }) => isForUser).map(({ name }) => name);
  return {
    slashCommands: [...fromFiles, ...prompts.map(({ command }) => command)],
    skills: files.filter(({ kind }) => kind === 'skill').map(({ name }) => name),
    plugins: plugins.map(({ name, path, version }) => ({
      name,
      path,
      ...omitUndefined({ version }),
    })),
  };
}

/** "3 skills, 1 command, 2 hooks, 1 plugin (kit)". Empty if there is nothing. */
export function describeLoaded(
  { extensions, plugins }: LoadedExtensions,
  hooks: readonly DeclaredHook[],
  servers: readonly { readonly name: string }[],
): readonly string[] {
  const count = (kind: 'skill' | 'command'): number =>
    extensions.files.filter((file) => file.kind === kind).length;
  const active = hooks.filter(({ inactive }) => inactive === undefined).length;
  const names = (all: readonly { readonly name: string }[]): string =>
    ` (${all.map(({ name }) => name).join(', ')})`;
  const parts: readonly (readonly [count: number, text: string])[] = [
    [count('skill'), pluralize(count('skill'), 'skill')],
    [count('command'), pluralize(count('command'), 'command')],
    [active, pluralize(active, 'hook')],
    [servers.length, `${pluralize(servers.length, 'MCP server')}${names(servers)}`],
    [plugins.length, `${pluralize(plugins.length, 'plugin')}${names(plugins)}`],
  ];
  const present = parts.filter(([number]) => number > 0).map(([, text]) => text);
  return present.length === 0 ? [] : [present.join(', ')];
}

/** The names of agents that do not count until the folder is trusted: with some parts, or at all. */
interface LeftOutAgents {
  readonly leftOut: readonly string[];
  readonly hidden: readonly string[];
}

/** Problems in files, and what a folder would have if it were trusted. `untrusted`: parts that are not extensions. */
export function extensionNotices(
  { problems, leftOut, leftOutHooks }: SessionExtensions,
  untrusted: readonly string[],
  agents: LeftOutAgents,
): readonly string[] {
  const [first, ...others] = problems;
  const more = others.length === 0 ? '' : ` (and ${others.length} more; /skills lists them)`;
  const parts = [
    ...untrusted,
    ...(leftOut.length === 0 ? [] : [`allowed tools, model or effort of ${commands(leftOut)}`]),
    ...(agents.hidden.length === 0 ? [] : [agentNames(agents.hidden)]),
    ...(agents.leftOut.length === 0
      ? []
      : [`model, effort, hooks, servers or memory of ${agentNames(agents.leftOut)}`]),
    ...(leftOutHooks.length === 0 ? [] : [`hooks of ${commands(leftOutHooks)}`]),
  ];
  return [
    ...(first === undefined ? [] : [`${first}${more}`]),
    ...(parts.length === 0 ? [] : [untrustedNote(parts)]),
  ];
}

function agentNames(names: readonly string[]): string {
  return `the ${names.length === 1 ? 'agent' : 'agents'} ${names.join(', ')}`;
}

function commands(names: readonly string[]): string {
  return names.map((name) => `/${name}`).join(', ');
}
