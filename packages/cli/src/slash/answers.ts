/** The answers of the commands that work without a terminal, as plain text. */
import type { Agent } from '@heddle/agent';
import { hookList } from '../hooks/list-hooks.ts';
import type { StartedSession } from '../start/start-agent.ts';
import { dollars, pluralize, sessionCost, tokens } from '../terminal/amounts.ts';
import type { SlashAnswer, SlashCommand } from './command.ts';

/** Lists the commands that work without a terminal. */
export function helpAnswer(commands: readonly SlashCommand[]): SlashAnswer {
  const listed = commands.filter(({ headless }) => headless !== undefined);
  return success(listed.map(({ name, hint = '', help }) => row(`/${name} ${hint}`, help)).join('\n'));
}

/** A host keeps its session, so the conversation is emptied. The log keeps what was said. */
export async function clearAnswer({ agent, extensions, hooks }: StartedSession): Promise<SlashAnswer> {
  const first = agent.messages.at(0);
  const cleared = first && agent.rewindBefore(first.uuid);
  if (cleared?.ok === false) return cleared;
  extensions.forgetUsed();
  await hooks.startAgain('clear');
  return { ok: true, text: 'The conversation is empty.', isReset: true };
}

/** Reports success if there was nothing to undo. */
export async function uncompactAnswer(agent: Agent): Promise<SlashAnswer> {
  const undone = agent.undoCompaction();
  if (undone.ok) return success(`The conversation is back: ${pluralize(undone.messages, 'message')}.`);
  return undone.reason === 'nothing to do' ? success(undone.message) : undone;
}

export async function contextAnswer(agent: Agent): Promise<SlashAnswer> {
  const { model, window, categories, state, thresholds } = await agent.contextUsage();
  const filled = categories.filter(({ tokens: count }) => count > 0);
  return success(
    [
      `${tokens(state.tokens)} of ${tokens(window)} tokens, ${model}; compacts at ${tokens(thresholds.autoCompact)}`,
      ...filled.map(({ name, tokens: count }) => row(name, tokens(count))),
    ].join('\n'),
  );
}

export async function costAnswer({ spending: { costUsd, models } }: Agent): Promise<SlashAnswer> {
  const costs = Object.values(models).map(({ costUSD }) => costUSD);
  return success(
    [
      sessionCost(costUsd, costs),
      ...Object.entries(models).map(([model, used]) =>
        row(model, used.costUSD === null ? 'cost unknown' : dollars(used.costUSD)),
      ),
    ].join('\n'),
  );
}

export async function hooksAnswer({ hooks }: StartedSession): Promise<SlashAnswer> {
  return success(hookList(hooks.list()));
}

/** Asks the model beside the conversation, which does not change. */
export async function asideAnswer(agent: Agent, question: string): Promise<SlashAnswer> {
  if (question === '') return { ok: false, message: 'Type the question after /btw.' };
  const answer = await agent.askAside(question);
  return answer.ok ? success(answer.text) : answer;
}

const NAME_WIDTH = 24;

function row(name: string, what: string): string {
  return `  ${name.padEnd(NAME_WIDTH)}  ${what}`;
}

function success(text: string): SlashAnswer {
  return { ok: true, text };
}
