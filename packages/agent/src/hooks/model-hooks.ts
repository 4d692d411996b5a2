/**
 * Handlers of the types `prompt`, `agent` and `mcp_tool`. The first two let a model judge an event: it answers whether all is well, and
 * if not, why. The answer then counts like that of a command.
 */
import { isRecord, type Json, type JsonObject } from '@heddle/core';
import type { HookHandler } from './definition.ts';
import type { HandlerRun, RunHandler } from './hook-runner.ts';
import type { HandlerResult } from './outcome.ts';

interface JudgeQuestion {
  readonly systemPrompt: string;
  readonly question: string;
  /** The model that the hook names. Undefined: the small model. */
  readonly model: string | undefined;
  readonly signal: AbortSignal;
}

type JudgeAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** Puts a question to a model, or to an agent with tools. */
export type AskJudge = (question: JudgeQuestion) => Promise<JudgeAnswer>;

const FORM =
  'Answer with one JSON object and nothing else: {"ok": true} if the condition holds, or {"ok": false, "reason": "…"} if it does not. ' +
  'The reason tells an engineer in one or two sentences what is missing.';

const JUDGE_PROMPT = `You check one condition about an event of a coding agent. The event is given as JSON. ${FORM}`;
const AGENT_PROMPT =
  'You check one condition about an event of a coding agent. The event is given as JSON. Use your tools to look at files and to run ' +
  `commands that change nothing. Your last message is the verdict. ${FORM}`;

export function promptHandler(ask: AskJudge): RunHandler {
  return (run) => judge(run, ask, JUDGE_PROMPT);
}

export function agentHandler(ask: AskJudge): RunHandler {
  return (run) => judge(run, ask, AGENT_PROMPT);
}

async function judge(
  { hook: { handler }, input, signal }: HandlerRun,
  ask: AskJudge,
  systemPrompt: string,
): Promise<HandlerResult> {
  if (handler.type !== 'prompt' && handler.type !== 'agent') return wrongType(handler);
  const question = questionOf(handler.prompt, JSON.stringify(input));
  const answer = await ask({ systemPrompt, question, model: handler.model, signal });
  if (!answer.ok) return failed(answer.message);
  const verdict = verdictIn(answer.text);
  if (verdict === undefined) return failed(`The model gave no verdict: ${answer.text.slice(0, 200)}`);
  if (verdict.ok) return { kind: 'returned', output: {} };
  return { kind: 'returned', output: { decision: 'block', reason: verdict.reason } };
}

/** `$ARGUMENTS` is the event. A prompt without it gets the event at its end. */
function questionOf(prompt: string, event: string): string {
  return prompt.includes('$ARGUMENTS')
    ? prompt.replaceAll('$ARGUMENTS', () => event)
    : `${prompt}\n\n${event}`;
}

/** Reads the verdict also if the model wrote text or a code fence around it. */
function verdictIn(text: string): { readonly ok: boolean; readonly reason: string } | undefined {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (from < 0 || to < from) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(from, to + 1));
    if (!isRecord(value) || typeof value['ok'] !== 'boolean') return undefined;
    const reason = typeof value['reason'] === 'string' ? value['reason'] : 'The condition does not hold.';
    return { ok: value['ok'], reason };
  } catch {
    return undefined;
  }
}

export interface McpToolCall {
  readonly server: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
}

/** Calls a tool of an MCP server and returns its text. */
export type CallMcpTool = (call: McpToolCall) => Promise<JudgeAnswer>;

/** The text of the tool counts like the standard output of a command. */
export function mcpToolHandler(callTool: CallMcpTool): RunHandler {
  return async ({ hook: { handler }, input, signal }) => {
    if (handler.type !== 'mcp_tool') return wrongType(handler);
    const { server, tool } = handler;
    const filled = fillIn(handler.input, input);
    const answer = await callTool({ server, tool, input: isRecord(filled) ? filled : {}, signal });
    return answer.ok ? { kind: 'exited', code: 0, stdout: answer.text, stderr: '' } : failed(answer.message);
  };
}

/** Replaces `${tool_input.file_path}` in the texts of an input by that field of the event. */
function fillIn(value: Json, event: Readonly<Record<string, unknown>>): Json {
  if (typeof value === 'string')
    return value.replaceAll(/\$\{([\w.]+)\}/g, (_, path: string) => textAt(event, path.split('.')));
  if (Array.isArray(value)) return value.map((item: Json) => fillIn(item, event));
  if (!isRecord(value)) return value;
  const filled = new Map<string, Json>();
  for (const [name, item] of Object.entries(value))
    if (item !== undefined) filled.set(name, fillIn(item, event));
  return Object.fromEntries(filled);
}

function textAt(value: unknown, [name, ...inner]: readonly string[]): string {
  if (name !== undefined) return isRecord(value) ? textAt(value[name], inner) : '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function wrongType({ type }: HookHandler): HandlerResult {
  return failed(`A handler of the type ${type} cannot run like this.`);
}

function failed(message: string): HandlerResult {
  return { kind: 'failed', failure: { kind: 'error', message } };
}
