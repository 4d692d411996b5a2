/** The types of subagents of a session: built-in ones, and those of files, the command line and the host. */
import {
  type AgentDefinition,
  type AgentOptions,
  BUILT_IN_AGENTS,
  decodeAgents,
  definedModel,
  unaskedFilesOf,
  unaskedOwnFilesOf,
  mergeAgents,
  readAgentFiles,
} from '@heddle/agent';
import { isReallyWithin, isTrusted, projectRoot, trustIn } from '@heddle/agent/settings';
import { lstatSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { RunOptions } from '../arguments/arguments.ts';
import { warn } from '../terminal/write-message.ts';

interface AgentTypePlaces {
  readonly cwd: string;
  /** The user's settings folders, the strongest first. */
  readonly configDirs?: readonly string[] | undefined;
  readonly plugins?: readonly { readonly name: string; readonly path: string }[] | undefined;
  readonly agentHooks?: AgentHookPolicy | undefined;
  /** A file that these forbid to read is not read through a link. */
  readonly rules?: AgentOptions['rules'];
  /** The agents that settings of the user name. */
  readonly namesOfUser?: readonly string[] | undefined;
}

type DeniedFiles = ReturnType<typeof unaskedFilesOf>;

/** The definitions whose hooks may run. */
export type AgentHookPolicy = 'all' | 'managed' | 'none';

export class AgentTypes {
  readonly #hooks: AgentHookPolicy;
  readonly #deniedFiles: DeniedFiles | undefined;
  #definitions: readonly AgentDefinition[];
  /** The names of agents with parts that do not count until the folder is trusted. */
  readonly leftOut: readonly string[];
  /** The names of agents that do not count at all until the folder is trusted. */
  readonly hidden: readonly string[];

  constructor(
    definitions: readonly AgentDefinition[],
    hooks: AgentHookPolicy = 'all',
    deniedFiles?: DeniedFiles,
    { leftOut, hidden }: Pick<AgentTypes, 'leftOut' | 'hidden'> = { leftOut: [], hidden: [] },
  ) {
    this.#hooks = hooks;
    this.leftOut = leftOut;
    this.hidden = hidden;
    this.#deniedFiles = deniedFiles;
    this.#definitions = mergeAgents(definitions);
  }

  get list(): readonly AgentDefinition[] {
    const mayRun = ({ source }: AgentDefinition): boolean =>
      this.#hooks === 'all' || (this.#hooks === 'managed' && source === 'managed');
    return this.#definitions.map((one) => (mayRun(one) ? one : { ...one, hooks: undefined }));
  }

  /** The names of agents whose model does not count in a conversation with this one, because the folder is not trusted. */
  withoutModel(modelName: string): readonly string[] {
    const names = (model = 'inherit'): boolean => model !== 'inherit';
    const isLeftOut = (one: AgentDefinition): boolean =>
      one.isUntrusted === true && names(one.model) && definedModel(one, modelName, process.env) === undefined;
    return this.#definitions.filter((one) => isLeftOut(one)).map(({ name }) => name);
  }

  /** Adds the definitions of a host, by name. Returns sentences about what has no effect. */
  add(given: unknown): readonly string[] {
    const { definitions, problems } = decodeAgents(given);
    this.#definitions = mergeAgents([...definitions, ...this.#definitions]);
    return problems;
  }

  /** Adds the definitions in the folders of plugins. Returns sentences about what cannot be read. */
  async addPlugins(plugins: AgentTypePlaces['plugins'], cwd: string): Promise<readonly string[]> {
    const isDenied = await this.#deniedFiles?.();
    const read = await readAgentFiles({
      cwd,
      configDirs: [],
      sources: [],
      isTrusted: () => true,
      plugins,
      isDenied,
    });
    this.#definitions = mergeAgents([...this.#definitions, ...read.definitions]);
    return read.problems;
  }
}

/** Problems are printed to standard error, and the run continues. */
export async function readAgentTypes(
  { agents, bare, settingSources: sources, projectConfigRoot }: RunOptions,
  { cwd: folder, configDirs = [], plugins, agentHooks, rules, namesOfUser }: AgentTypePlaces,
): Promise<AgentTypes> {
  const cwd = projectConfigRoot ?? folder;
  const about = { cwd: folder, configDirs, rules };
  const deniedFiles = unaskedFilesOf(about, folder);
  const files = bare
    ? { definitions: [], problems: [], leftOut: [], hidden: [] }
    : await readAgentFiles({
        cwd,
        configDirs,
        sources,
        isTrusted: trustIn({ home: os.homedir(), env: process.env }),
        namesOfUser,
        plugins,
        isDenied: await deniedFiles(),
        isOwnDenied: await unaskedOwnFilesOf(about, folder)(),
      });
  const definitions = [...files.definitions, ...BUILT_IN_AGENTS];
  const types = new AgentTypes(definitions, bare ? 'none' : agentHooks, deniedFiles, files);
  const given = agents === undefined ? [] : types.add(agents).map((problem) => `--agents: ${problem}`);
  const obstacles = types.list.flatMap(
    (one) => memoryPlace(one, { cwd: folder, configDirs })?.obstacle ?? [],
  );
  const noMemory = [...new Set(obstacles)].map(
    (step) => `${step}: not a readable folder in the project, so agents have no memory there.`,
  );
  for (const problem of [...files.problems, ...given, ...noMemory]) warn(problem);
  return types;
}

/** The memory folder of an agent: of the user, of the project, or of the project on this machine. */
export function agentMemoryFolder(definition: AgentDefinition, places: AgentTypePlaces): string | undefined {
  const place = memoryPlace(definition, places);
  return place?.obstacle === undefined ? place?.folder : undefined;
}

interface MemoryPlace {
  readonly folder: string;
  /** A part of the path that prevents the use of the folder. */
  readonly obstacle?: string | undefined;
}

function memoryPlace(
  { name, memory }: AgentDefinition,
  { cwd, configDirs = [] }: AgentTypePlaces,
): MemoryPlace | undefined {
  const [userDir] = configDirs;
  // A name with a slash could lead to another folder.
  if (memory === undefined || userDir === undefined || !/^\w[\w.-]*$/.test(name)) return undefined;
  if (memory === 'user') return { folder: path.join(userDir, 'agent-memory', name) };
  const root = projectRoot(cwd);
  const first = path.join(root, '.heddle');
  const second = path.join(first, memory === 'project' ? 'agent-memory' : 'agent-memory-local');
  const folder = path.join(second, name);
  return { folder, obstacle: [first, second, folder].find((step) => !canBeFolderIn(root, step, folder)) };
}

/**
 * A link of a project must not lead the memory to files outside of it, or to other files in it, such as hooks. So it must be above the
 * folder of the agent, in a project that is trusted.
 */
function canBeFolderIn(root: string, step: string, folder: string): boolean {
  try {
    const found = lstatSync(step, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) return true;
    if (step === folder || !isTrusted({ cwd: root, home: os.homedir(), env: process.env })) return false;
    return statSync(step).isDirectory() && isReallyWithin(step, root);
  } catch {
    return false;
  }
}
