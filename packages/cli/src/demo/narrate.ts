/** Prints a run while it happens: the text and calls of the model, and in color the reason for each continuation. */
import { styleText } from 'node:util';
import { isToolResult, type LoopEvent, type Terminal, textOf, type Transition } from '@heddle/core';
import { escapeControls } from '../terminal/escape-controls.ts';

type Write = (line: string) => void;

export interface Narrator {
  narrate(event: LoopEvent): void;
  /** The reasons why the loop continued, in order. */
  readonly reasons: readonly string[];
}

export function createNarrator(write: Write): Narrator {
  const reasons: string[] = [];
  const why = (word: string, text: string): void => {
    reasons.push(word);
    write(styleText('yellow', `  ↻ ${word}`) + styleText('dim', `  ${text}`));
  };
  return {
    reasons,
    narrate(event) {
      switch (event.type) {
        case 'stream_request_start':
          return write(styleText('dim', '→ request to the model'));
        case 'message':
          return tellMessage(event, write);
        case 'tool_intent':
          return write(
            styleText(
              'dim',
              `  ${event.toolUseId}: intent stored, then started (${event.effect.replace('_', '-')})`,
            ),
          );
        case 'retry':
          return why(
            'retry',
            `${event.error.class}: ${event.error.message.replace(/\.?$/, '.')} Attempt ${event.attempt} of ${event.maxAttempts} in ${(event.delayMs / 1_000).toFixed(1)} s.`,
          );
        case 'tombstone':
          return write(
            styleText('dim', `  ✝ retracted: ${event.uuids.length} message; the model will not see it again`),
          );
        case 'hook_progress':
          return write(styleText('magenta', `  ⚑ stop hook: ${event.text}`));
        case 'transition':
          return why(event.transition.reason, explain(event.transition));
        default:
          return undefined;
      }
    },
  };
}

function tellMessage({ message }: Extract<LoopEvent, { type: 'message' }>, write: Write): void {
  if (message.type === 'assistant') {
    for (const block of message.content) {
      if (block.type === 'text') write(`${styleText('cyan', '●')} ${escapeControls(block.text)}`);
      if (block.type === 'tool_use') {
        const { command, file_path: file } = block.input;
        const input = typeof command === 'string' ? command : typeof file === 'string' ? file : '';
        write(`${styleText('cyan', '●')} ${styleText('bold', block.name)}(${escapeControls(input)})`);
      }
    }
  }
  if (message.type !== 'user' || message.isMeta || typeof message.content === 'string') return;
  for (const result of message.content.filter(isToolResult)) {
    const shown = textOf(typeof result.content === 'string' ? result.content : [...result.content]);
    const [first = '', ...rest] = escapeControls(shown).split('\n');
    const count = rest.length === 1 ? '1 more line' : `${rest.length} more lines`;
    const more = rest.length > 0 ? styleText('dim', ` … ${count}`) : '';
    write(`  ${result.is_error ? styleText('red', '✗') : styleText('green', '✓')} ${first.trim()}${more}`);
  }
}

function explain(transition: Transition): string {
  switch (transition.reason) {
    case 'next_turn':
      return 'the calls ended; the next request contains their results';
    case 'max_output_tokens_escalate':
      return `the answer was cut at the output limit; the same request with a limit of ${transition.maxOutputTokens} tokens`;
    case 'max_output_tokens_recovery':
      return `cut again; the model is asked to continue the answer (${transition.attempt})`;
    case 'collapse_drain_retry':
      return 'the request was too long; finished parts of the history were collapsed';
    case 'reactive_compact_retry':
      return 'the request was too long; the history was summarized';
    case 'stop_hook_blocking':
      return 'a stop hook sent the model back to work';
    case 'token_budget_continuation':
      return `${transition.percentUsed} % of the token budget is used`;
  }
}

export function explainEnd(terminal: Terminal): string {
  return terminal.reason === 'completed' ? 'an answer without calls passed the stop hook' : terminal.reason;
}
