/** The types of subagents of a session: built-in ones, and those of files, the command line and the host. */
import {
  type AgentDefinition,
  BUILT_IN_AGENTS,
  decodeAgents,
  mergeAgents,
  readAgentFiles,
} from '@heddle/agent';
import { isTrusted } from '@heddle/agent/settings';
import os from 'node:os';
import type { RunOptions } from '../arguments/arguments.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { AgentSetup } from './agent-options.ts';

export class AgentTypes {
  #definitions: readonly AgentDefinition[];

  constructor(definitions: readonly AgentDefinition[]) {
    this.#definitions = mergeAgents(definitions);
  }

  get list(): readonly AgentDefinition[] {
    return this.#definitions;
  }

  /** Adds the definitions of a host, by name. Returns sentences about what has no effect. */
  add(given: unknown): readonly string[] {
    const { definitions, problems } = decodeAgents(given);
    this.#definitions = mergeAgents([...definitions, ...this.#definitions]);
    return problems;
  }
}

/** Problems are printed to standard error, and the run continues. */
export async function readAgentTypes(
  { agents, bare, settingSources: sources }: RunOptions,
  { cwd, configDirs = [], plugins }: Pick<AgentSetup, 'cwd' | 'configDirs' | 'plugins'>,
): Promise<AgentTypes> {
  const trusted = isTrusted({ cwd, home: os.homedir(), env: process.env });
  const files = bare
    ? { definitions: [], problems: [] }
    : await readAgentFiles({ cwd, configDirs, sources, isTrusted: trusted, plugins });
  const types = new AgentTypes([...files.definitions, ...BUILT_IN_AGENTS]);
  const given = agents === undefined ? [] : types.add(agents).map((problem) => `--agents: ${problem}`);
  for (const problem of [...files.problems, ...given])
    process.stderr.write(`heddle: ${escapeControls(problem)}\n`);
  return types;
}
