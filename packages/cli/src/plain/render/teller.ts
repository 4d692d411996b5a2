/** Tells a run as it happens: events of the loop in, pieces for the screen out. It remembers only what a later event needs. */
import {
  type ApiEvent,
  type AssistantMessage,
  isToolResult,
  isToolUse,
  type JsonObject,
  type LoopEvent,
  textOf,
  type UserMessage,
} from '@heddle/core';
import { harmless } from '../../terminal/harmless.ts';
import type { Style } from '../style.ts';
import { shortened, timeOf } from './amounts.ts';
import { callLine, nameOf } from './call.ts';
import { attachmentNote, contextNote, retryNote, systemNote, transitionNote } from './notes.ts';
import { resultLine } from './result.ts';
import { todoLines } from './todos.ts';

export type Piece =
  | { readonly kind: 'line'; readonly text: string }
  /** A part of a line that goes on. */
  | { readonly kind: 'stream'; readonly text: string }
  | { readonly kind: 'end of stream' };

export interface TellerSetup {
  readonly style: Style;
  readonly cwd: string;
  readonly now: () => number;
}

/** A call that goes on for so long is mentioned again, and then ever more rarely. */
const FIRST_SIGN_MS = 10_000;
const THOUGHT_LENGTH = 100;

interface Call {
  readonly line: string;
  readonly tool: string;
  startedAt: number | undefined;
  nextSignMs: number;
}

export class Teller {
  readonly #setup: TellerSetup;
  readonly #calls = new Map<string, Call>();
  /** The call that was last announced: its result needs no name. */
  #lastCall: string | undefined;
  /** Of the block that streams now. */
  #streamed = '';
  #thought: string | undefined;
  /** Something of this attempt stands on the screen. */
  #saidSomething = false;
  #tellsOfContext = false;

  constructor(setup: TellerSetup) {
    this.#setup = setup;
  }

  tell(event: LoopEvent): readonly Piece[] {
    switch (event.type) {
      case 'stream_request_start':
        this.#saidSomething = false;
        return [];
      case 'stream_event':
        return this.#streamEvent(event.event);
      case 'message':
        return this.#message(event);
      case 'tool_intent':
        return this.#intent(event.toolUseId, event.tool, event.input);
      case 'progress':
        return this.#progress(event.toolUseId);
      case 'retry':
        return [...this.#endStream(), this.#note('yellow', retryNote(event) + this.#beginsAgain())];
      case 'tombstone':
        return this.#saidSomething ? [this.#note('yellow', `taken back${this.#beginsAgain()}`)] : [];
      case 'transition':
        return this.#noteIf(transitionNote(event.transition));
      case 'compacting':
        return [this.#note('dim', `compacting the conversation${this.#setup.style.signs.more}`)];
      case 'refused':
        return [this.#note('yellow', 'a part of the conversation was refused; a note takes its place')];
      case 'context':
        this.#tellsOfContext = true;
        return [this.#note('dim', contextNote(event.report))];
      case 'prefix_rewritten': {
        const isTold = this.#tellsOfContext;
        this.#tellsOfContext = false;
        return isTold
          ? []
          : [this.#note('dim', 'the beginning of the conversation changed: it is not cached any more')];
      }
      case 'mended':
        return [
          this.#note('dim', `the history was mended: ${harmless(shortened(event.mends.join('; '), 160))}`),
        ];
      case 'hook_progress':
        return [this.#note('dim', `hook ${harmless(event.hook)}: ${harmless(shortened(event.text, 160))}`)];
      case 'tool_use_summary':
        return [this.#note('dim', harmless(shortened(event.summary, 200)))];
      // What else there is speaks for itself, or is for programs.
      default:
        return [];
    }
  }

  /** The run is over, however: nothing of it is still coming. */
  end(): readonly Piece[] {
    const pieces = this.#endStream();
    this.#calls.clear();
    this.#lastCall = undefined;
    return pieces;
  }

  #streamEvent(event: ApiEvent): readonly Piece[] {
    switch (event.type) {
      case 'content_block_start':
        this.#streamed = '';
        if (event.content_block.type !== 'thinking') return [];
        this.#thought = '';
        return [{ kind: 'stream', text: this.#setup.style.paint('dim', '(thinking ') }];
      case 'content_block_delta': {
        const { delta } = event;
        if (delta.type === 'thinking_delta' && this.#thought !== undefined && this.#thought.length < 400)
          this.#thought += delta.thinking;
        if (delta.type !== 'text_delta' || delta.text === '') return [];
        this.#streamed += delta.text;
        this.#saidSomething = true;
        return [{ kind: 'stream', text: harmless(delta.text) }];
      }
      case 'content_block_stop':
        return this.#endStream();
      default:
        return [];
    }
  }

  #endStream(): readonly Piece[] {
    const end: Piece = { kind: 'end of stream' };
    if (this.#thought === undefined) return this.#streamed === '' ? [] : [end];
    const { paint, signs } = this.#setup.style;
    const thought = harmless(shortened(this.#thought, THOUGHT_LENGTH, signs.more));
    this.#thought = undefined;
    return [{ kind: 'stream', text: paint('dim', `${thought || signs.more})`) }, end];
  }

  #message({ message }: Extract<LoopEvent, { type: 'message' }>): readonly Piece[] {
    switch (message.type) {
      case 'assistant':
        return this.#answer(message);
      case 'user':
        return message.isMeta ? [] : this.#results(message);
      case 'system': {
        const look = message.level === 'warning' || message.level === 'error' ? 'yellow' : 'dim';
        const text = systemNote(message);
        return text === undefined ? [] : [this.#note(look, text)];
      }
      case 'attachment': {
        if (message.attachment.kind !== 'queued_command') return this.#noteIf(attachmentNote(message));
        const prompt = harmless(textOf(message.attachment.prompt));
        return [{ kind: 'line', text: `${this.#setup.style.paint('cyan', '>')} ${prompt}` }];
      }
    }
  }

  #answer(message: AssistantMessage): readonly Piece[] {
    for (const call of message.content.filter(isToolUse)) this.#remember(call.id, call.name, call.input);
    const text = textOf(message.content);
    const wasStreamed = this.#streamed !== '';
    if (text !== '') this.#saidSomething = true;
    this.#streamed = '';
    if (text === '' || wasStreamed) return [];
    if (message.apiError) return [{ kind: 'line', text: this.#setup.style.paint('red', harmless(text)) }];
    return [{ kind: 'stream', text: harmless(text) }, { kind: 'end of stream' }];
  }

  #results(message: UserMessage): readonly Piece[] {
    if (typeof message.content === 'string') return [];
    return message.content.filter(isToolResult).map((result): Piece => {
      const id = result.tool_use_id;
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      const told = resultLine(call?.tool ?? '', result, this.#setup.style);
      const follows = this.#lastCall === id;
      this.#lastCall = undefined;
      return { kind: 'line', text: follows || !call ? `  ${told}` : `  ${call.line}: ${told}` };
    });
  }

  #intent(id: string, tool: string, input: JsonObject): readonly Piece[] {
    const call = this.#remember(id, tool, input);
    call.startedAt = this.#setup.now();
    this.#lastCall = id;
    const { paint, signs } = this.#setup.style;
    const [name, ...about] = [nameOf(tool), call.line.slice(nameOf(tool).length)];
    const lines = tool === 'TodoWrite' ? todoLines(input['todos'], this.#setup.style) : [];
    const head: Piece = {
      kind: 'line',
      text: `${paint('cyan', signs.call)} ${paint('bold', name)}${about.join('')}`,
    };
    return [...this.#endStream(), head, ...lines.map((text): Piece => ({ kind: 'line', text: `  ${text}` }))];
  }

  #remember(id: string, tool: string, input: JsonObject): Call {
    const line = callLine(tool, input, this.#setup.cwd);
    const call = { line, tool, startedAt: undefined, nextSignMs: FIRST_SIGN_MS };
    this.#calls.set(id, call);
    return call;
  }

  #progress(id: string): readonly Piece[] {
    const call = this.#calls.get(id);
    if (call?.startedAt === undefined) return [];
    const elapsed = this.#setup.now() - call.startedAt;
    if (elapsed < call.nextSignMs) return [];
    call.nextSignMs = elapsed * 2;
    return [this.#note('dim', `${call.line} still runs, ${timeOf(elapsed)}`)];
  }

  #beginsAgain(): string {
    const text = this.#saidSomething ? '; the answer begins again' : '';
    this.#saidSomething = false;
    return text;
  }

  #noteIf(text: string | undefined): readonly Piece[] {
    return text === undefined ? [] : [this.#note('dim', text)];
  }

  #note(look: 'dim' | 'yellow', text: string): Piece {
    return { kind: 'line', text: this.#setup.style.paint(look, `  (${text})`) };
  }
}
