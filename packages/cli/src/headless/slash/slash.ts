/**
 * Slash commands where there is no conversation at a terminal: those that make sense there are answered, all others are
 * refused. None of them is words for the model. `/compact` is the engine's own.
 */
import type { Agent, Prompt, SdkResult } from '@heddle/agent';
import { readSlash } from '../../plain/commands/table.ts';
import { dollars, pluralize, tokens } from '../../plain/render/amounts.ts';
import { rejectedPrompt, settledPrompt } from '../host-conversation.ts';
import { LOCAL_COMMANDS, slashText } from './commands.ts';

/** The result of a prompt that is a command; undefined where it is for the model, or for the engine. */
export async function slashResult(prompt: Prompt, agent: Agent): Promise<SdkResult | undefined> {
  const text = slashText(prompt);
  const slash = text === undefined ? undefined : readSlash(text);
  switch (slash?.kind) {
    case undefined:
      return undefined;
    case 'unknown':
      // `/etc is full` is a sentence; a word alone that begins so was meant as a command.
      return /\s/.test(text ?? '') ? undefined : refused(slash.message, agent);
    case 'command': {
      const { command, words } = slash;
      const isSentence = words !== '' && command.hint === undefined;
      if (isSentence || command.name === 'compact') return undefined;
      const answer = await answerSlashCommand(command.name, agent);
      if (answer === undefined)
        return refused(`/${command.name} needs a conversation at a terminal. See /help.`, agent);
      if (!answer.ok) return rejectedPrompt(answer.message, agent);
      return { ...settledPrompt(answer.text, agent), local_command: command.name };
    }
  }
}

const ADVICE =
  'As words for the model: --disable-slash-commands, or "client_composed": true beside the prompt.';

function refused(why: string, agent: Agent): SdkResult {
  return rejectedPrompt(`${why} ${ADVICE}`, agent);
}

export type SlashAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** Undefined for commands that there are not here. */
export async function answerSlashCommand(command: string, agent: Agent): Promise<SlashAnswer | undefined> {
  switch (command) {
    case 'help':
      return said(LOCAL_COMMANDS.map(({ name, hint, help }) => row(`/${name} ${hint}`, help)).join('\n'));
    case 'uncompact':
      return uncompact(agent);
    case 'context':
      return said(await contextText(agent));
    case 'cost':
      return said(costText(agent));
    default:
      return undefined;
  }
}

function said(text: string): SlashAnswer {
  return { ok: true, text };
}

/** Nothing to do is no failure. */
function uncompact(agent: Agent): SlashAnswer {
  const undone = agent.undoCompaction();
  if (undone.ok) return said(`The conversation is back: ${pluralize(undone.messages, 'message')}.`);
  return undone.reason === 'nothing to do' ? said(undone.message) : undone;
}

async function contextText(agent: Agent): Promise<string> {
  const { model, window, categories, state, thresholds } = await agent.contextUsage();
  const filled = categories.filter(({ tokens: count }) => count > 0);
  return [
    `${tokens(state.tokens)} of ${tokens(window)} tokens, ${model}; compacts at ${tokens(thresholds.autoCompact)}`,
    ...filled.map(({ name, tokens: count }) => row(name, tokens(count))),
  ].join('\n');
}

function costText({ spending: { costUsd, models } }: Agent): string {
  const isPart = Object.values(models).some(({ costUSD }) => costUSD === null);
  return [
    `${dollars(costUsd)} in this session${isPart ? ', as far as prices are known' : ''}`,
    ...Object.entries(models).map(([model, used]) =>
      row(model, used.costUSD === null ? 'cost unknown' : dollars(used.costUSD)),
    ),
  ].join('\n');
}

const NAME_WIDTH = 24;

function row(name: string, what: string): string {
  return `  ${name.padEnd(NAME_WIDTH)}  ${what}`;
}
