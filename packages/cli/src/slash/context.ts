/** `/compact`, `/uncompact`, `/btw`, `/context`, and the commands about the model: `/model`, `/effort`, `/fast`, `/thinking`. */
import { EFFORTS, omitUndefined, type Thinking } from '@heddle/core';
import { aliasesIn, factsOf, FAST_CLAUDE_MODELS } from '@heddle/models';
import type { AgentSetup } from '../start/agent-options.ts';
import { modelSetup, modelText } from '../start/model-options.ts';
import { type ModelHooks, switchModel } from '../start/session-events.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { pluralize, tokens } from '../terminal/amounts.ts';
import { nameOf } from '../terminal/call-line.ts';
import { asideAnswer } from './answers.ts';
import type { Chat } from './command.ts';

/** How it went is told by its events; what was interrupted, or never began, has none. */
export async function compactSlash(words: string, { started, say }: Chat): Promise<void> {
  const outcome = await started.agent.compact(words);
  if (!outcome.ok && TELLS_NOTHING.has(outcome.reason)) say(outcome.message);
}

const TELLS_NOTHING: ReadonlySet<string> = new Set(['busy', 'aborted']);

export function uncompact({ started, say }: Chat): void {
  const undone = started.agent.undoCompaction();
  say(undone.ok ? `The conversation is back: ${pluralize(undone.messages, 'message')}.` : undone.message);
}

/** The answer does not join the conversation. */
export async function aside(question: string, { started, say, style }: Chat): Promise<void> {
  const answer = await asideAnswer(started.agent, question);
  if (!answer.ok) return say(escapeControls(answer.message));
  say(`${style.paint('dim', '/btw')} ${escapeControls(answer.text)}`);
}

export async function context({ started, say, style }: Chat): Promise<void> {
  const { model, window, categories, byTool, state, reserved, thresholds } =
    await started.agent.contextUsage();
  const width = Math.max(...categories.map(({ name }) => name.length), 'kept for the answer'.length);
  const row = (name: string, count: number): string =>
    `${name.padEnd(width)}  ${tokens(count).padStart(7)}  ${percent(count, window).padStart(5)}`;
  const filled = categories.filter(({ tokens: count }) => count > 0);
  const signs = filled.map((_, index) => categorySign(index, style));
  const biggest = byTool.slice(0, 5).map(({ tool, tokens: count }) => `${nameOf(tool)} ${tokens(count)}`);
  say(
    [
      `${tokens(state.tokens)} of ${tokens(window)} tokens (${percent(state.tokens, window)}), ${escapeControls(model)}`,
      compactsAt(state.tokens, thresholds.autoCompact),
      windowBar(
        filled.map(({ tokens: count }, index) => ({ count, sign: signs[index] ?? '' })),
        { window, reserved, style },
      ),
      ...filled.map(({ name, tokens: count }, index) => `${signs[index]} ${row(name, count)}`),
      style.paint('dim', `${RESERVED_SIGN} ${row('kept for the answer', reserved)}`),
      ...(biggest.length > 0 ? [style.paint('dim', `  tools that take most: ${biggest.join(', ')}`)] : []),
    ].join('\n'),
  );
}

const BAR_CELLS = 60;
const RESERVED_SIGN = '-';
const FREE_SIGN = '.';
const CATEGORY_LOOKS = ['cyan', 'green', 'yellow', 'red', 'bold'] as const;
const ASCII_SIGNS = ['#', '=', '+', '*', '%', '@'] as const;

/** Categories differ in color. Without colors, or without Unicode, they differ in their letters. */
function categorySign(index: number, { colors, paint, signs }: Chat['style']): string {
  const letter = ASCII_SIGNS[index % ASCII_SIGNS.length] ?? '#';
  if (!colors || signs.dot !== '·') return letter;
  return paint(CATEGORY_LOOKS[index % CATEGORY_LOOKS.length] ?? 'bold', '█');
}

interface WindowBar {
  readonly window: number;
  readonly reserved: number;
  readonly style: Chat['style'];
}

/** Draws the window as a row of cells. Each part that is not empty has at least one cell. */
function windowBar(
  parts: readonly { readonly count: number; readonly sign: string }[],
  { window, reserved, style: { paint } }: WindowBar,
): string {
  const cellsFor = (count: number): number => Math.max(1, Math.round((count / window) * BAR_CELLS));
  const used = parts.map(({ count, sign }) => ({ sign, cells: cellsFor(count) }));
  const kept = cellsFor(reserved);
  const free = Math.max(0, BAR_CELLS - kept - used.reduce((sum, { cells }) => sum + cells, 0));
  const rest = paint('dim', FREE_SIGN.repeat(free) + RESERVED_SIGN.repeat(kept));
  return `  ${used.map(({ sign, cells }) => sign.repeat(cells)).join('')}${rest}`;
}

/** Shows the limit in advance, so that automatic compaction does not surprise the user. */
function compactsAt(used: number, limit: number): string {
  return `  compacts at ${tokens(limit)} (${Math.round((used / limit) * 100)} % of that used)`;
}

function percent(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`;
}

interface ModelChat extends Pick<Chat, 'say' | 'change'> {
  readonly started: { readonly hooks: ModelHooks };
  readonly options: Pick<AgentSetup, 'modelName' | 'plays' | 'stated'>;
}

export async function model(words: string, { options, say, change, started }: ModelChat): Promise<void> {
  if (words === '') {
    const aliases = aliasesIn(process.env).map(({ alias }) => alias);
    return say(
      `The model is ${escapeControls(modelText(options))}.\n` +
        `Change it with /model NAME: ${[...aliases, 'PROVIDER/MODEL', 'rehearsal'].join(', ')}. In a shell, heddle models lists them.`,
    );
  }
  const chosen = await modelSetup(words, options.stated === undefined ? {} : { stated: options.stated });
  if (!chosen.ok) return say(escapeControls(chosen.message));
  if (hasNoKey(words, chosen.options))
    return say(
      escapeControls(
        `There is no key for ${chosen.options.modelName}: set ANTHROPIC_API_KEY and start again. The model is still ${modelText(options)}.`,
      ),
    );
  const requested = {
    from: options.modelName,
    to: chosen.options,
    requested: words,
    source: 'command',
  } as const;
  const prevented = await switchModel(started.hooks, requested, () => change(chosen.options));
  if (prevented !== undefined) return say(escapeControls(`A hook prevents this model: ${prevented}`));
  say(`The model is ${escapeControls(modelText(chosen.options))} from the next prompt on.`);
}

/** Other providers say so themselves when they are chosen. */
function hasNoKey(words: string, { modelName, apiKeySource }: Partial<AgentSetup>): boolean {
  const isAnthropic = /^anthropic([/:]|$)/i.test(words) || modelName?.startsWith('claude-') === true;
  return isAnthropic && apiKeySource === 'none' && !/^replay[/:]/.test(words);
}

export function effort(words: string, { options, say, change }: Chat): void {
  const now = options.requestOptions?.effort;
  if (words === '')
    return say(`The effort is ${now ?? 'left to the model'}. There are ${EFFORTS.join(', ')}.`);
  const wanted = EFFORTS.find((known) => known === words.toLowerCase());
  if (!wanted) return say(`There is no effort ${escapeControls(words)}. There are ${EFFORTS.join(', ')}.`);
  change({ requestOptions: { ...options.requestOptions, effort: wanted } });
  say(`The effort is ${wanted} from the next prompt on.`);
}

interface FastChat extends Pick<Chat, 'say' | 'change'> {
  readonly options: Pick<AgentSetup, 'config' | 'modelName'>;
}

/** Fast mode costs more, so it is never switched on for a model that would ignore it. */
export function fast(words: string, { options, say, change }: FastChat): void {
  const { config = {}, modelName } = options;
  const isOn = config.gates?.fastMode === true;
  const isOffered = factsOf(modelName, { environment: process.env })?.hasFastMode === true;
  const missing = `${escapeControls(modelName)} has no fast mode. These models have one: ${FAST_CLAUDE_MODELS.join(', ')}.`;
  if (words === '')
    return say(
      `Fast mode is ${isOn ? 'on' : 'off'}. ${isOffered ? 'Change it with /fast on or off.' : missing}`,
    );
  const wanted = words.toLowerCase();
  if (wanted !== 'on' && wanted !== 'off') return say(`/fast takes on or off, not ${escapeControls(words)}.`);
  if (wanted === 'on' && !isOffered) return say(missing);
  change({ config: { ...config, gates: { ...config.gates, fastMode: wanted === 'on' } } });
  say(
    wanted === 'on'
      ? 'Fast mode is on from the next prompt on. Heddle does not know its price: costs will be reported as unknown.'
      : 'Fast mode is off from the next prompt on.',
  );
}

interface ThinkingChat extends Pick<Chat, 'say' | 'change'> {
  readonly options: Pick<AgentSetup, 'requestOptions'>;
}

/** `on` is the default: a model that can think does. */
export function thinking(words: string, { options, say, change }: ThinkingChat): void {
  const { thinking: now, ...rest } = options.requestOptions ?? {};
  if (words === '')
    return say(`Thinking is ${thinkingText(now)}. Change it with /thinking on, off or TOKENS.`);
  const tokens = /^\d+$/.test(words) ? Number(words) : undefined;
  const isOff = words.toLowerCase() === 'off' || tokens === 0;
  if (!isOff && tokens === undefined && words.toLowerCase() !== 'on')
    return say(`/thinking takes on, off or a number of tokens, not ${escapeControls(words)}.`);
  const wanted = isOff ? OFF : tokens === undefined ? undefined : budgetOf(tokens);
  change({ requestOptions: { ...rest, ...omitUndefined({ thinking: wanted }) } });
  say(`Thinking is ${thinkingText(wanted)} from the next prompt on.`);
}

const OFF: Thinking = { type: 'disabled' };

function budgetOf(tokens: number): Thinking {
  return { type: 'enabled', budget_tokens: tokens };
}

function thinkingText(thinking: Thinking | undefined): string {
  switch (thinking?.type) {
    case 'disabled':
    case 'between_tools':
      return 'off, for models that can switch it off';
    case 'enabled':
      return `on with a budget of ${thinking.budget_tokens} tokens, for models that take one`;
    case 'adaptive':
    case undefined:
      return 'on, for models that can think';
  }
}
