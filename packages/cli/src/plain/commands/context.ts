/** `/compact`, `/uncompact` and `/context`. */
import { harmless } from '../../terminal/harmless.ts';
import { counted, tokens } from '../render/amounts.ts';
import { nameOf } from '../render/call.ts';
import type { Chat } from './command.ts';

/** How it went is told by its events; what was interrupted, or never began, has none. */
export async function compact(words: string, { started, say }: Chat): Promise<void> {
  const outcome = await started.agent.compact(words);
  if (!outcome.ok && TELLS_NOTHING.has(outcome.reason)) say(outcome.message);
}

const TELLS_NOTHING: ReadonlySet<string> = new Set(['busy', 'aborted']);

export function uncompact({ started, say }: Chat): void {
  const undone = started.agent.undoCompaction();
  say(undone.ok ? `The conversation is back: ${counted(undone.messages, 'message')}.` : undone.message);
}

export async function context({ started, say, style }: Chat): Promise<void> {
  const { model, window, categories, byTool, state, reserved, thresholds } =
    await started.agent.contextUsage();
  const width = Math.max(...categories.map(({ name }) => name.length), 'kept for the answer'.length);
  const row = (name: string, count: number): string =>
    `  ${name.padEnd(width)}  ${tokens(count).padStart(7)}  ${percent(count, window).padStart(5)}`;
  const biggest = byTool.slice(0, 5).map(({ tool, tokens: count }) => `${nameOf(tool)} ${tokens(count)}`);
  say(
    [
      `${tokens(state.tokens)} of ${tokens(window)} tokens (${percent(state.tokens, window)}), ${harmless(model)}`,
      compactsAt(state.tokens, thresholds.autoCompact),
      ...categories
        .filter(({ tokens: count }) => count > 0)
        .map(({ name, tokens: count }) => row(name, count)),
      style.paint('dim', row('kept for the answer', reserved)),
      ...(biggest.length > 0 ? [style.paint('dim', `  tools that take most: ${biggest.join(', ')}`)] : []),
    ].join('\n'),
  );
}

/** So that nobody is surprised. */
function compactsAt(used: number, limit: number): string {
  return `  compacts at ${tokens(limit)} (${Math.round((used / limit) * 100)} % of that used)`;
}

function percent(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`;
}
