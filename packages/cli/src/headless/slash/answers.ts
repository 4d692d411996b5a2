/** What the commands that need no terminal do and say. */
import type { Agent } from '@heddle/agent';
import { counted, dollars, tokens } from '../../plain/render/amounts.ts';
import { LOCAL_COMMANDS } from './commands.ts';

export type Answer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** Undefined for commands that there are not here. */
export async function answerOf(command: string, agent: Agent): Promise<Answer | undefined> {
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

function said(text: string): Answer {
  return { ok: true, text };
}

/** Nothing to do is no failure. */
function uncompact(agent: Agent): Answer {
  const undone = agent.undoCompaction();
  if (undone.ok) return said(`The conversation is back: ${counted(undone.messages, 'message')}.`);
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
