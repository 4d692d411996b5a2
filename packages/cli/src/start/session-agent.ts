/** Joins the parts of a session to the options of its agent. */
import type { AgentOptions, SessionContext } from '@heddle/agent';
import type { SessionInstructions } from '@heddle/agent/instructions';
import type { UserMessage } from '@heddle/core';
import { offered } from './named-tools.ts';
import { agentMemoryFolder, type AgentTypes } from './agent-types.ts';
import { extensionNames } from './loaded-extensions.ts';
import { type ExtensionSetup, skillOfAgent } from './open-extensions.ts';
import type { OpenedHooks } from './open-hooks.ts';
import { openServersOf, type ToolSources } from './open-tools.ts';
import { PromptModel } from './prompt-model.ts';
import { beforeExpansion } from './session-events.ts';
import type { SessionTools } from './session-tools.ts';
import type { StartContext, Surface } from './start-context.ts';

export interface OpenedParts extends ToolSources, OpenedHooks {
  readonly tools: SessionTools;
  readonly instructions: SessionInstructions;
  readonly agentTypes: AgentTypes;
  readonly extensionSetup: ExtensionSetup;
  /** The context about user and project for the model. Empty for a resumed session, which has its own. */
  readonly sessionContext: Partial<SessionContext>;
  readonly debug: AgentOptions['onEvent'];
}

export function joinParts(context: StartContext, parts: OpenedParts): AgentOptions {
  const { options, surface, session, listeners, telemetry } = context;
  const { servers, extensions, team, hooks, instructions, tools } = parts;
  const { agent: more = {} } = surface;
  const own = tools.options;
  const listsSkills = own.tools.some(({ name }) => name === 'Skill');
  return {
    ...options,
    hooks: hooks.forAgent(),
    ...context.confinement,
    ...parts.sessionContext,
    ...own,
    ...more,
    liveTools: servers?.liveTools,
    subagents: subagentOptions(context, parts),
    session,
    takeQueued: (agentId) => [...(more.takeQueued?.(agentId) ?? []), ...team.takeQueued(agentId)],
    onAccepted: async (messageId) => {
      await own.onAccepted?.(messageId);
      team.promptStored(context.agent().messages);
      context.title.write();
    },
    expandPrompt: promptExpansion(context, parts),
    onContinue: (run) => {
      hooks.continued();
      return extensions.activateUsed(run);
    },
    onPromptEnd: () => extensions.release(),
    extensions: () =>
      extensionNames({ extensions, plugins: context.plugins }, options.mcp?.view.prompts ?? []),
    news: () => [
      ...(own.news?.() ?? []),
      ...(more.news?.() ?? []),
      ...(servers?.news() ?? []),
      ...listeners.takeRemarks(),
      ...(listsSkills ? extensions.news() : []),
    ],
    gather: async (toolContext) => {
      await parts.refresh();
      const gathered = await Promise.all([
        more.gather?.(toolContext),
        instructions.gather(toolContext),
        listsSkills ? extensions.discover(toolContext) : [],
      ]);
      return gathered.flatMap((part) => part ?? []);
    },
    standing: async () => [
      ...instructions.joined,
      ...extensions.standing,
      ...((await more.standing?.()) ?? []),
    ],
    onEvent: (event) => {
      parts.debug?.(event);
      telemetry?.agent.onEvent(event);
      hooks.observe(event);
      own.onEvent?.(event);
      servers?.onEvent(event);
      team.observe(event);
      more.onEvent?.(event);
      if (event.type === 'context' && event.messages !== undefined) extensions.forgetList();
      listeners.reportEvent(event);
    },
  };
}

function subagentOptions(
  context: StartContext,
  { agentTypes, extensions, team }: OpenedParts,
): AgentOptions['subagents'] {
  const { command, options, surface, listeners, telemetry } = context;
  if (!offered('Agent', command, options.rules)) return undefined;
  return {
    definitions: () => agentTypes.list,
    waitsForAll: surface.waitsForSubagents,
    get forwardsText() {
      return listeners.forwardsSubagentText;
    },
    teammates: team,
    model: process.env['HEDDLE_SUBAGENT_MODEL'] || process.env['CLAUDE_CODE_SUBAGENT_MODEL'],
    maxDepth: depthIn(process.env) ?? options.maxSubagentDepth,
    loadSkill: (name, use) => skillOfAgent(name, extensions, options, use),
    openServers: (definition, signal) => openServersOf(definition, context, signal),
    memoryFolder: (definition) => agentMemoryFolder(definition, options),
    onLine: (line) => listeners.reportSubagentLine(line),
    watch: telemetry && ((subagent) => telemetry.agent.watchSubagent(subagent)),
  };
}

/** A value that is not a whole number over 0 counts as absent. */
function depthIn(env: NodeJS.ProcessEnv): number | undefined {
  const depth = Number(env['HEDDLE_MAX_SUBAGENT_SPAWN_DEPTH'] || env['CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH']);
  return Number.isSafeInteger(depth) && depth > 0 ? depth : undefined;
}

/**
 * Returns the words of the user. Text that is piped to the program beside a prompt follows the prompt. That text, and a
 * long paste, are data, in which a mention means nothing. The same holds for a paste in which some letters were changed.
 */
export function typedWords(
  content: UserMessage['content'],
  { prompt, pastedTexts }: Pick<Surface, 'prompt' | 'pastedTexts'>,
): UserMessage['content'] {
  if (typeof content !== 'string') return content;
  if (prompt !== undefined && content.startsWith(`${prompt}\n\n`)) return prompt;
  const pasted = (pastedTexts?.() ?? []).map((paste) => paste.trim()).filter((paste) => paste !== '');
  // A paste may contain another one.
  pasted.sort((left, right) => right.length - left.length);
  const exact = pasted.reduce((text, paste) => text.replaceAll(paste, '\n'), content);
  return pasted.filter((paste) => sharesText(exact, paste)).reduce(withoutMentions, exact);
}

/** The number of words in a row that show that a text is a part of another one. */
const SHARED_WORDS = 5;
/** The length of one word that shows it. */
const SHARED_LENGTH = 40;

/** Returns whether a prompt contains parts of a paste, as after a change of some letters in an earlier prompt. */
function sharesText(text: string, paste: string): boolean {
  const known = new Set(piecesOf(text));
  return piecesOf(paste).some((piece) => known.has(piece));
}

function piecesOf(text: string): readonly string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const rows = words
    .map((_, at) => words.slice(at, at + SHARED_WORDS))
    .filter((row) => row.length === SHARED_WORDS);
  return [...rows.map((row) => row.join(' ')), ...words.filter((word) => word.length >= SHARED_LENGTH)];
}

const MENTION = /@(?:"[^"\n]*"|\S*[^\s.,;:!?)\]}>'"]|\S)/g;

function withoutMentions(text: string, paste: string): string {
  return text.replace(MENTION, (mention) => (paste.includes(mention) ? '' : mention));
}

/** Replaces slash commands and references in a prompt by their text, after hooks have seen it. */
function promptExpansion(
  { surface, options, agent }: StartContext,
  { hooks, extensions, extensionSetup }: OpenedParts,
): NonNullable<AgentOptions['expandPrompt']> {
  const { mcp, mainAgent } = options;
  return async (content, signal, current) => {
    const isKnown = (name: string): boolean => extensions.commandNamed(name) !== undefined;
    const hooked = await beforeExpansion(hooks, content, isKnown, signal);
    if (hooked.block !== undefined) return { ...hooked, content };
    const model = new PromptModel(current, extensionSetup);
    const { content: expanded, usedCommand } = await extensions.expand(content, signal, model.use);
    const isFirst = mainAgent?.initialPrompt !== undefined && agent().messages.length === 0;
    const typed = typedWords(content, surface);
    const prompt = mcp ? await mcp.expand({ content: expanded, typed }, signal) : expanded;
    const answer = { ...hooked, typed, turnModel: model.chosen, usedCommand };
    if (!isFirst) return { ...answer, content: prompt };
    const { withInitialPrompt } = await import('./main-agent.ts');
    return { ...answer, content: withInitialPrompt(prompt, mainAgent) };
  };
}
