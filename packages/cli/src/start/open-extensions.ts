/** The skills and slash commands of a session: where they are, and how they use model, permissions and tools. */
import os from 'node:os';
import path from 'node:path';
import {
  DEFAULT_AGENT,
  unaskedFilesOf,
  type Rules,
  runSideCall,
  type Session,
  newUuid,
  VERSION,
} from '@heddle/agent';
import {
  type ExtensionRoot,
  type PromptCall,
  type PromptFile,
  PromptIndex,
  SessionExtensions,
  type ToolRules,
} from '@heddle/agent/extensions';
import {
  acceptedRepositoryTop,
  isReallyWithin,
  managedDir,
  parseRule,
  possibleRepositoryTop,
  PROJECT_FOLDERS,
  projectTop,
  realPath,
  SCOPES,
  trustIn,
} from '@heddle/agent/settings';
import { EFFORTS, type RuleName } from '@heddle/core';
import type { RunOptions } from '../arguments/arguments.ts';
import type { AgentSetup } from './agent-options.ts';
import { USUAL_WINDOW } from './model-options.ts';
import { type PromptModelSetup, skillModel } from './prompt-model.ts';
import type { SessionHooks } from './session-hooks.ts';

export interface ExtensionSetup extends PromptModelSetup {
  readonly options: Pick<
    AgentSetup,
    'cwd' | 'configDirs' | 'rules' | 'stated' | 'context' | 'modelName' | 'plugins'
  >;
  readonly session: Session;
  readonly hooks: () => SessionHooks;
}

/** The share of the window that the list of skills may take, in characters of about a quarter of a token. */
const LIST_SHARE = 0.01;
const CHARACTERS_PER_TOKEN = 4;

/** Reads the files while the rest of the program starts. Never rejects. */
export function openExtensions(command: RunOptions, setup: ExtensionSetup): Promise<SessionExtensions> {
  const { options, session, agent, agentOptions } = setup;
  const { cwd, rules, context, modelName, configDirs = [] } = options;
  const [ownFolder] = configDirs;
  const project = command.projectConfigRoot ?? cwd;
  const roots = extensionRoots(command, { ...options, cwd: project });
  return new SessionExtensions({
    cwd,
    roots,
    deniedFiles: unaskedFilesOf(options, cwd),
    index: ownFolder === undefined ? undefined : new PromptIndex(path.join(ownFolder, 'cache'), VERSION),
    trustsFile: fileTrust(project, roots),
    sessionId: session.id,
    effort: () => agentOptions().requestOptions?.effort,
    listBudget: () => (context?.windowOf?.(modelName) ?? USUAL_WINDOW) * LIST_SHARE * CHARACTERS_PER_TOKEN,
    messages: () => agent().messages,
    refusalOf: (file, words) => refusalOf(file, words, options),
    runCommand: async (text, { signal, agentId, rules: own }) => {
      const call = { tool: 'Bash', input: { command: text }, signal, rules: own && rulesOfFile(own) };
      const result =
        agentId === undefined
          ? await runSideCall(agentOptions(), { ...call, mode: agent().permissionMode })
          : await agent().runForSubagent(agentId, call);
      if (!result.ok) throw new Error(result.message);
      return result.text;
    },
    grant: (own) => rules.grant(rulesOfFile(own)),
    addHooks: ({ hooks, file }) => setup.hooks().activate(hooks, file),
    runForked: async ({ file, text, model, effort: wanted }, { signal, byModel }) => {
      // A call of the model was decided before. A command that the user types answers an ask rule, and no deny rule.
      const names = ruleNamesOf(file).filter(({ tool }) => tool === 'Agent');
      if (!byModel && (await decisionAbout(names, options)) === 'deny')
        return { isError: true, text: `A rule denies the agent ${file.agent ?? DEFAULT_AGENT}.` };
      const { tools, liveTools } = agentOptions();
      const effort = EFFORTS.find((known) => known === wanted);
      const task = { description: `/${file.name}`, prompt: text, type: file.agent, model, effort };
      const typed = { toolUseId: newUuid(), tools: [...tools, ...(liveTools?.active() ?? [])] };
      return agent().delegate(task, { ...(byModel ?? typed), signal });
    },
    rootsFor: (file) => rootsBeside(file, command, cwd),
    turnModelOf: (file) => skillModel(file, setup),
  }).load();
}

/**
 * Returns whether the user trusts a file of the project. The folder that contains its `.claude` decides, because it can be above the
 * working folder, where trust in the latter does not reach. The state at the start counts.
 */
function fileTrust(project: string, roots: readonly ExtensionRoot[]): (file: string) => boolean {
  const trusts = trustIn({ home: os.homedir(), env: process.env });
  if (!trusts(project)) return () => false;
  return (file) => {
    const root = roots.find(({ folder }) => file.startsWith(`${folder}${path.sep}`));
    const owner = root && path.dirname(root.folder);
    if (owner === undefined || !trusts(owner)) return false;
    return isReallyWithin(file, owner) || trusts(path.dirname(realPath(file)));
  };
}

/** The folders between the working folder and a file in it, the nearest first. None in other repositories and installed packages. */
function rootsBeside(
  file: string,
  {
    settingSources,
    bare,
    projectConfigRoot,
  }: Pick<RunOptions, 'settingSources' | 'bare' | 'projectConfigRoot'>,
  cwd: string,
): readonly ExtensionRoot[] {
  const isRead = !bare && projectConfigRoot === undefined && (settingSources ?? SCOPES).includes('project');
  if (!isRead || !file.startsWith(`${cwd}${path.sep}`)) return [];
  const between = path.relative(cwd, path.dirname(file)).split(path.sep).filter(Boolean);
  const folders = between.map((_, at) => path.join(cwd, ...between.slice(0, at + 1))).toReversed();
  const isElsewhere = [acceptedRepositoryTop, possibleRepositoryTop].some(
    (topOf) => topOf(path.dirname(file)) !== topOf(cwd),
  );
  if (between.includes('node_modules') || isElsewhere) return [];
  const within = projectTop(cwd) ?? cwd;
  return folders.flatMap((folder) =>
    PROJECT_FOLDERS.map((name) => ({ folder: path.join(folder, name), scope: 'project', within }) as const),
  );
}

function rulesOfFile({ file, allow, deny }: ToolRules): Rules {
  return { allow: rulesOf(allow, 'allow', file), deny: rulesOf(deny, 'deny', file), ask: [] };
}

function rulesOf(texts: readonly string[], list: 'allow' | 'deny', file: string): Rules['allow'] {
  return texts.filter((text) => parseRule(text, list).ok).map((text) => ({ text, source: 'session', file }));
}

/** The strongest first. A file of the user wins over one of the project, so that a project cannot replace it. */
function extensionRoots(
  { settingSources, bare }: Pick<RunOptions, 'settingSources' | 'bare'>,
  { cwd, configDirs = [], plugins = [] }: Pick<AgentSetup, 'cwd' | 'configDirs' | 'plugins'>,
): readonly ExtensionRoot[] {
  if (bare) return [];
  const sources = settingSources ?? SCOPES;
  const all: ExtensionRoot[] = [{ folder: managedDir(), scope: 'managed' }];
  if (sources.includes('user')) all.push(...configDirs.map((folder) => ({ folder, scope: 'user' }) as const));
  const top = projectTop(cwd);
  if (sources.includes('project'))
    for (const folder of projectFolders(cwd))
      for (const name of PROJECT_FOLDERS)
        all.push({ folder: path.join(folder, name), scope: 'project', within: top ?? folder });
  for (const { name, path: folder } of plugins)
    all.push({ folder, scope: 'plugin', plugin: name, within: folder });
  const seen = new Set<string>();
  // In the home folder, the project's files are the user's own.
  return all.filter(({ folder }) => !seen.has(folder) && seen.add(folder));
}

/** From the working folder up to the top of its repository. */
function projectFolders(cwd: string): readonly string[] {
  const top = acceptedRepositoryTop(cwd);
  if (top === undefined || cwd === top) return [cwd];
  const above = path.dirname(cwd);
  return above === cwd ? [cwd] : [cwd, ...projectFolders(above)];
}

/** All names of a skill for permission rules, and the type of the agent that follows its text. */
export function ruleNamesOf(file: PromptFile | undefined): readonly RuleName[] {
  if (file === undefined) return [];
  const { name, longName = name, isForked, agent = DEFAULT_AGENT } = file;
  return [
    ...[...new Set([name, longName])].map((one) => ({ tool: 'Skill', name: one })),
    ...(isForked ? [{ tool: 'Agent', name: agent }] : []),
  ];
}

/**
 * Returns the text of a skill that the definition of an agent names. Undefined if there is no such skill. The user is not asked
 * here, so a skill that a rule denies or asks about is left out.
 */
export async function skillOfAgent(
  name: string,
  extensions: SessionExtensions,
  options: Pick<AgentSetup, 'cwd' | 'rules'>,
  call: PromptCall,
): Promise<string | undefined> {
  const names = ruleNamesOf(extensions.skillNamed(name));
  if ((await decisionAbout(names, options)) !== 'allow')
    return `The skill ${name} is left out: a rule does not allow it.`;
  return (await extensions.loadSkill(name, '', call))?.text;
}

/** A command that the user types answers an ask rule, and no deny rule. A rule for the whole tool is about calls of the model. */
async function refusalOf(
  file: PromptFile,
  words: string,
  options: Pick<AgentSetup, 'cwd' | 'rules'>,
): Promise<string | undefined> {
  const skill = ruleNamesOf(file).filter(({ tool }) => tool === 'Skill');
  const names = skill.flatMap((one) => [one, { ...one, name: `${one.name} ${words}` }]);
  const isDenied = (await decisionAbout(names, options, 'prompt')) === 'deny';
  return isDenied ? `A rule denies the ${file.kind} ${file.name}.` : undefined;
}

/** Decides about skills and agents that are used without a call of the model, by deny and ask rules. */
async function decisionAbout(
  names: readonly RuleName[],
  { cwd, rules: { rules } }: Pick<AgentSetup, 'cwd' | 'rules'>,
  tool = 'Skill',
): Promise<'allow' | 'ask' | 'deny'> {
  if (names.length === 0 || rules.deny.length + rules.ask.length === 0) return 'allow';
  const { authorize, observeWorld } = await import('@heddle/agent/permission');
  const place = { root: cwd, cwd, directories: [], home: os.homedir(), configDirs: [], environment: {} };
  const request = { tool, input: {}, names, readOnly: true, hookDecision: undefined };
  return authorize(request, rules, 'default', observeWorld(place)).decision;
}
