/** `/status` and `/cost`. */
import { VERSION } from '@heddle/agent';
import {
  isToolResult,
  isToolUse,
  type Message,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
} from '@heddle/core';
import { serverDetails, stateList } from '../mcp/list-servers.ts';
import { missingView } from '../start/open-sandbox.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { dollars, sessionCost, tokens } from '../terminal/amounts.ts';
import { callLine, nearPath } from '../terminal/call-line.ts';
import { todoLines } from '../terminal/todo-lines.ts';
import { modelText } from '../start/model-options.ts';
import type { Style } from '../terminal/style.ts';
import type { Chat } from './command.ts';

export async function status({ started, options, cwd, say }: Chat): Promise<void> {
  const { agent, session, tasks } = started;
  const running =
    tasks.list().filter(({ end }) => end === undefined).length +
    (agent.subagents?.list() ?? []).filter(({ isRunning, record }) => isRunning && record.isBackground)
      .length;
  const instructions = started.instructions.applied.map(({ file }) => nearPath(file, cwd));
  const folders = options.rules.directories;
  const standing = session.projection.sessionState?.workingDirectory ?? cwd;
  const { state, thresholds } = await agent.contextUsage();
  const rows: readonly (readonly [string, string])[] = [
    ['version', VERSION],
    ['session', agent.sessionId],
    ['kept in', session.journal.path ?? 'memory only'],
    ['folder', cwd],
    ...(standing === cwd ? [] : [['commands run in', standing] as const]),
    ...(folders.length > 0 ? [['more folders', folders.join(', ')] as const] : []),
    ['instructions', instructions.length > 0 ? instructions.join(', ') : 'none'],
    ['model', modelText(options)],
    ['effort', options.requestOptions?.effort ?? 'the model decides'],
    ['mode', agent.permissionMode],
    ['sandbox', options.sandboxSettings?.enabled ? 'on' : 'off'],
    ['read-only view', await viewState(options)],
    ['key from', options.apiKeySource ?? 'none'],
    ['messages', String(agent.messages.length)],
    ['tokens', `${tokens(state.tokens)}; compacts at ${tokens(thresholds.autoCompact)}`],
    ['in the background', String(running)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  say(rows.map(([name, value]) => `  ${name.padEnd(width)}  ${escapeControls(value)}`).join('\n'));
}

/** Whether a command that is proven to only read runs in the view, or on the proof alone. */
async function viewState({ sandboxSettings }: Chat['options']): Promise<string> {
  if (sandboxSettings?.readOnlyView === 'off') return 'off';
  return (await missingView()) ?? 'on';
}

export function cost({ started, say, style }: Chat): void {
  const { costUsd, models } = started.agent.spending;
  const table = [
    ['model', 'cost', 'input', 'from cache', 'output'],
    ...Object.entries(models).map(([model, usage]) => {
      const cached = usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
      const all = cached + usage.inputTokens;
      const hit = all === 0 ? 0 : Math.round((usage.cacheReadInputTokens / all) * 100);
      return [
        escapeControls(model),
        usage.costUSD === null ? 'unknown' : dollars(usage.costUSD),
        tokens(all),
        `${hit} %`,
        tokens(usage.outputTokens),
      ];
    }),
  ];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0))) ?? [];
  const rows = table.map((cells, index) => {
    const [model = '', ...numbers] = cells.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    const row = `  ${[model, ...numbers].join('  ')}`;
    return index === 0 ? style.paint('dim', row) : row;
  });
  const costs = Object.values(models).map(({ costUSD }) => costUSD);
  say([sessionCost(costUsd, costs), ...rows].join('\n'));
}

/** `/loop`: the last decisions of the loop, with the guards that led to them. The log is replayed without a model. */
export async function loop(words: string, { started, say }: Chat): Promise<void> {
  const file = started.session.journal.path;
  if (file === undefined) return say('This session is kept nowhere, so its decisions are not known.');
  const { replayLog } = await import('@heddle/agent/sessions');
  const { textLines } = await import('../replay/text.ts');
  const replayed = replayLog(file);
  if (typeof replayed === 'string') return say(escapeControls(replayed));
  const steps = replayed.runs.flatMap(({ iterations }) => iterations.flatMap((iteration) => iteration.steps));
  if (steps.length === 0) return say('The loop has decided nothing yet.');
  const most = /^[1-9]\d{0,3}$/.test(words) ? Number(words) : LOOP_STEPS;
  const from = Math.max(1, steps.length - most + 1);
  const lines = [...textLines(replayed, { from, verbose: false, columns: process.stdout.columns || 100 })];
  say(lines.map(escapeControls).join('\n'));
}

const LOOP_STEPS = 12;

/** `/keybindings`: the user's own keys with their actions, and all actions with their default keys. */
export async function keybindings({ say, style, configDir }: Chat): Promise<void> {
  const { KEY_ACTIONS } = await import('../terminal/input/keybindings.ts');
  const { KeybindingFile } = await import('../terminal/input/keybinding-file.ts');
  const file = new KeybindingFile(configDir);
  const own = [...file.bindings].map(([keys, bound]) => {
    const action =
      bound.kind === 'key' ? bound.action : bound.kind === 'command' ? `/${bound.name}` : 'nothing';
    return `  ${keys.padEnd(KEY_WIDTH)}  ${action}`;
  });
  const all = Object.entries(KEY_ACTIONS).map(([action, key]) => `  ${key.padEnd(KEY_WIDTH)}  ${action}`);
  const lines = [
    `Your own keys are read from ${file.path}.`,
    ...(own.length === 0 ? ['  (none)'] : own),
    ...file.problems,
  ].map(escapeControls);
  const head = style.paint('bold', 'Actions and their default keys');
  const commands = `  ${''.padEnd(KEY_WIDTH)}  command:NAME runs a slash command`;
  say([...lines, head, ...all, commands].join('\n'));
}

const KEY_WIDTH = 14;

export function todos({ started, say, style }: Chat): void {
  const lines = todoLines(started.todos.get(), style);
  say(lines.length > 0 ? lines.map((line) => `  ${line}`).join('\n') : 'There is nothing on the list.');
}

export async function doctorSlash({ options }: Chat): Promise<void> {
  const { doctor: examine } = await import('../doctor/doctor.ts');
  await examine([], options.plays ?? options.modelName);
}

/**
 * Shows the result of a call in full. `words`: its number, counted from the last. Without a number, newer thinking of the
 * model is shown below the last result.
 */
export function output(words: string, { started, say, style, cwd }: Chat): void {
  const messages = [...started.agent.messages];
  const results = messages.flatMap(resultsIn);
  const thinking = words === '' ? lastThinking(messages) : undefined;
  const shown = thinking === undefined ? [] : [section('Thinking', thinking, style)];
  if (results.length === 0) return say(shown[0] ?? 'No call has come to an end yet.');
  const result = /^\d*$/.test(words) ? results.at(-Math.max(1, Number(words))) : undefined;
  if (!result)
    return say(
      results.length === 1
        ? 'There is one call so far: /output shows it.'
        : `Type a number from 1, the last call, to ${results.length}.`,
    );
  const call = messages.flatMap(callsIn).find(({ id }) => id === result.tool_use_id);
  const title = call
    ? callLine(call.name, call.input, cwd)
    : 'A call that is not in this conversation any more';
  say([section(title, textOf(result.content), style), ...shown].join('\n'));
}

function section(title: string, text: string, { paint }: Style): string {
  const lines = escapeControls(text).trimEnd().split('\n');
  return [paint('bold', title), ...lines.map((line) => `  | ${line}`)].join('\n');
}

/** Returns the thinking after the last result of a call. Undefined if there is none that can be read. */
function lastThinking(messages: readonly Message[]): string | undefined {
  const after = messages.slice(messages.findLastIndex((message) => resultsIn(message).length > 0) + 1);
  const thoughts = after.flatMap((message) =>
    message.type === 'assistant'
      ? message.content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []))
      : [],
  );
  return thoughts.findLast((thought) => thought.trim() !== '');
}

/** `/mcp`: all servers with their state, or one of them in full. */
export async function mcp(words: string, { started: { mcp: servers, refresh }, say }: Chat): Promise<void> {
  await refresh();
  const connections = await servers?.load();
  const reports = connections?.report() ?? [];
  if (words === '') return say(stateList(reports));
  const report = reports.find(({ name }) => name === words);
  if (!report) return say(`There is no MCP server ${escapeControls(words)}. See /mcp.`);
  say(serverDetails(report, connections?.get(words)?.log));
}

function resultsIn(message: Message): ToolResultBlock[] {
  if (message.type !== 'user' || typeof message.content === 'string') return [];
  return message.content.filter(isToolResult);
}

function callsIn(message: Message): ToolUseBlock[] {
  return message.type === 'assistant' ? message.content.filter(isToolUse) : [];
}
