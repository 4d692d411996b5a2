/** A program on the other side of standard input: it sends prompts and control requests, one JSON object a line. */
import { createInterface } from 'node:readline';
import { randomUUID } from 'node:crypto';
import { type AskPermission, type PermissionAnswer, permissionUpdates, type Prompt } from '@heddle/agent';
import type { ContentBlock, JsonObject } from '@heddle/core';
import type { Output } from './output.ts';

export interface Host {
  /** Ends when the host closes its side. */
  readonly prompts: AsyncIterable<Prompt> | Iterable<Prompt>;
  /** Permission questions go to the host. */
  readonly ask?: AskPermission;
  onInterrupt(listener: () => void): void;
  /** No more prompts are taken, whatever the host does; an open standard input no longer keeps the program alive. */
  end(): void;
}

type Line = Readonly<Record<string, unknown>>;

export function createHost(output: Output): Host {
  const waiting: Prompt[] = [];
  const questions = new Map<string, (answer: PermissionAnswer) => void>();
  let wake = (): void => undefined;
  let closed = false;
  let interrupt = (): void => undefined;

  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (text) => take(text));
  lines.on('close', () => {
    closed = true;
    for (const answer of questions.values()) answer({ allow: false, message: 'The host went away.' });
    wake();
  });

  function take(text: string): void {
    const line = parse(text);
    if (!line) {
      if (text.trim() !== '') process.stderr.write('heddle: a line on standard input is not a JSON object\n');
      return;
    }
    switch (line['type']) {
      case 'user': {
        const prompt = promptOf(line);
        if (prompt) waiting.push(prompt);
        wake();
        return;
      }
      case 'control_request':
        return control(line);
      case 'control_response':
        return settle(line);
      default:
        return;
    }
  }

  function control(line: Line): void {
    const request = record(line['request']);
    const requestId = line['request_id'];
    const reply = (response: object): void =>
      output.writeControl({ type: 'control_response', response: { ...response, request_id: requestId } });
    switch (request?.['subtype']) {
      case 'initialize':
        return reply({
          subtype: 'success',
          response: {
            commands: [],
            agents: [],
            models: [],
            account: {},
            output_style: 'default',
            available_output_styles: ['default'],
          },
        });
      case 'interrupt':
        interrupt();
        return reply({ subtype: 'success', response: { still_queued: [] } });
      default:
        return reply({
          subtype: 'error',
          error: `Unsupported control request subtype: ${String(request?.['subtype'])}`,
        });
    }
  }

  function settle(line: Line): void {
    const response = record(line['response']);
    const id = response?.['request_id'];
    const answer = typeof id === 'string' ? questions.get(id) : undefined;
    if (!answer) return;
    const given = record(response?.['response']);
    const allow = response?.['subtype'] === 'success' && given?.['behavior'] === 'allow';
    const updatedInput = given?.['updatedInput'];
    const message = given?.['message'] ?? response?.['error'];
    const updates = permissionUpdates(given?.['updatedPermissions']);
    answer({
      allow,
      ...(typeof message === 'string' ? { message } : {}),
      ...(isJsonObject(updatedInput) ? { updatedInput } : {}),
      ...(updates.length > 0 ? { updates } : {}),
      ...(given?.['interrupt'] === true ? { interrupt: true } : {}),
    });
  }

  return {
    prompts: (async function* () {
      while (true) {
        const prompt = waiting.shift();
        if (prompt) yield prompt;
        else if (closed) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    })(),
    ask({ toolUseId, tool, input, reason, suggestions, rule, agentId }, signal) {
      if (closed) return Promise.resolve({ allow: false, message: 'The host went away.' });
      const requestId = randomUUID();
      return new Promise((resolve) => {
        const finish = (answer: PermissionAnswer): void => {
          questions.delete(requestId);
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        };
        const withdraw = (): void => {
          output.writeControl({ type: 'control_cancel_request', request_id: requestId });
          finish({ allow: false, message: 'The question was withdrawn.' });
        };
        questions.set(requestId, finish);
        signal.addEventListener('abort', withdraw, { once: true });
        const request = {
          subtype: 'can_use_tool',
          tool_name: tool,
          input,
          tool_use_id: toolUseId,
          decision_reason: reason,
          ...(suggestions.length > 0 ? { permission_suggestions: suggestions } : {}),
          ...(rule === undefined ? {} : { matched_ask_rule: rule }),
          ...(agentId === undefined ? {} : { agent_id: agentId }),
        };
        output.writeControl({ type: 'control_request', request_id: requestId, request });
      });
    },
    onInterrupt(listener) {
      interrupt = listener;
    },
    end() {
      waiting.length = 0;
      lines.close();
      process.stdin.destroy();
    },
  };
}

function promptOf(line: Line): Prompt | undefined {
  const content = record(line['message'])?.['content'];
  const { uuid } = line;
  const named = typeof uuid === 'string' ? { uuid } : {};
  if (typeof content === 'string') return { content, ...named };
  return isContent(content) ? { content, ...named } : undefined;
}

function parse(text: string): Line | undefined {
  try {
    return record(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function record(value: unknown): Line | undefined {
  return isLine(value) ? value : undefined;
}

function isLine(value: unknown): value is Line {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** It was parsed from JSON, so its values are. */
function isJsonObject(value: unknown): value is JsonObject {
  return isLine(value);
}

/** Blocks of kinds that nobody here knows are the request builder's business. */
function isContent(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every((block) => typeof record(block)?.['type'] === 'string');
}
