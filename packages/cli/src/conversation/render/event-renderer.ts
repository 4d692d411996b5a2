/** Converts the events of a run to parts for the screen. It stores only what later events need. */
import {
  type AssistantMessage,
  type CallPlace,
  isToolResult,
  isToolUse,
  type JsonObject,
  type LoopEvent,
  textOf,
  type ToolIntent,
  type ToolResultBlock,
  type TransitionReason,
  type UserMessage,
} from '@heddle/core';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { Style } from '../../terminal/style.ts';
import { type ShownChange, changeOf, changeRows } from '../change/change.ts';
import { shortened } from '../../terminal/amounts.ts';
import { callLine, nameOf, purposeOf } from '../../terminal/call-line.ts';
import type { OutputPart } from '../../terminal/screen.ts';
import { attachmentNote, contextNote, retryNote, serverWords, systemNote, transitionNote } from './notes.ts';
import { type ResultDetail, resultRows } from './result.ts';
import { StreamedText } from './streamed-text.ts';
import { todoChanges } from '../../terminal/todo-lines.ts';

export interface EventRendererSetup {
  readonly style: Style;
  readonly cwd: string;
  /** Returns the current text of the file that a call is about to change. */
  readonly current: (call: ToolIntent) => string | undefined;
  /** How much of a result is shown. The default is a summary. */
  readonly detail?: ResultDetail;
}

interface Call {
  readonly line: string;
  readonly tool: string;
  /** The change of a file, if no question has shown it. */
  change?: ShownChange | undefined;
}

export class EventRenderer {
  readonly #setup: EventRendererSetup;
  readonly #calls = new Map<string, Call>();
  /** The last call that was shown. Its result needs no name. */
  #lastCall: string | undefined;
  readonly #streamed: StreamedText;
  /** The text messages of this attempt that were shown. */
  readonly #shownMessages = new Set<string>();
  readonly #held: OutputPart[] = [];
  #reportedContext = false;
  /** Calls whose change was shown with a question. */
  readonly #seen = new Set<string>();
  /** The last todo list of the model. */
  #todos: unknown;
  /** The message of the server about the last error. */
  #lastError: string | undefined;
  /** Notes that are shown only once. */
  readonly #shownOnce = new Set<LoopEvent['type']>();

  constructor(setup: EventRendererSetup) {
    this.#setup = setup;
    this.#streamed = new StreamedText(setup.style);
  }

  render(event: LoopEvent): readonly OutputPart[] {
    switch (event.type) {
      case 'stream_request_start':
        return [...this.#takeHeld(), ...this.#beginAnswer()];
      case 'stream_event':
        // Text before a pause is final. Only the response that starts here may be retracted.
        if (event.event.type === 'message_start') return this.#beginAnswer();
        if (this.#streamed.isReplacedBy(event.event) && this.#shownMessages.size === 0)
          return [
            ...this.#retract(undefined, 'the text above is thinking'),
            ...this.#streamed.observe(event.event),
          ];
        return this.#streamed.observe(event.event);
      case 'message':
        return this.#message(event);
      case 'tool_intent':
        return this.#intent(event);
      case 'answer_end':
        this.#lastError = undefined;
        return [];
      case 'retry': {
        const note = retryNote(event, this.#lastError);
        this.#lastError = serverWords(event.error);
        return this.#retract(note, `${note}; the answer starts again`, note);
      }
      case 'tombstone':
        // If an answer was cut after its calls, only the last block is retracted.
        if ([...this.#shownMessages].some((uuid) => !event.uuids.includes(uuid)))
          return [this.#note('yellow', 'the unfinished last part was retracted')];
        return this.#retract(undefined, 'retracted; the answer starts again');
      case 'transition':
        return [
          ...(REPEATING.has(event.transition.reason) ? this.#retract(undefined, 'retracted') : []),
          ...this.#noteIf(transitionNote(event.transition)),
        ];
      case 'compacting':
        return [this.#note('dim', `compacting the conversation${this.#setup.style.signs.more}`)];
      case 'refused':
        return [this.#note('yellow', 'a part of the conversation was rejected; a note replaces it')];
      case 'context':
        this.#reportedContext = true;
        return [this.#note('dim', contextNote(event.report))];
      case 'prefix_rewritten': {
        const isReported = this.#reportedContext;
        this.#reportedContext = false;
        return isReported
          ? []
          : this.#once(event, 'the start of the conversation changed, so it is no longer cached');
      }
      case 'mended':
        return this.#once(event, `the history was repaired: ${shortened(event.mends.join('; '), 160)}`);
      case 'hook_progress':
        return [
          this.#note(
            'dim',
            `hook ${escapeControls(event.hook)}: ${escapeControls(shortened(event.text, 160))}`,
          ),
        ];
      case 'tool_use_summary':
        return [this.#note('dim', escapeControls(shortened(event.summary, 200)))];
      // The other events need no output.
      default:
        return [];
    }
  }

  /** A question has shown the change of this call. */
  wasShown(callId: string): void {
    this.#seen.add(callId);
  }

  /** Adds unfinished calls of an earlier run, whose results will follow. */
  takeUp(calls: readonly { readonly id: string; readonly name: string; readonly input: JsonObject }[]): void {
    for (const { id, name, input } of calls) this.#remember(id, name, input);
  }

  /** Ends the run. No events will follow. */
  end(): readonly OutputPart[] {
    const pieces = [...this.#streamed.end(), ...this.#takeHeld()];
    this.#calls.clear();
    this.#lastCall = undefined;
    return pieces;
  }

  #message({ message }: Extract<LoopEvent, { type: 'message' }>): readonly OutputPart[] {
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
        const prompt = escapeControls(textOf(message.attachment.prompt));
        return [{ kind: 'line', text: `${this.#setup.style.paint('cyan', '>')} ${prompt}` }];
      }
    }
  }

  #answer(message: AssistantMessage): readonly OutputPart[] {
    for (const call of message.content.filter(isToolUse)) this.#remember(call.id, call.name, call.input);
    const text = textOf(message.content);
    const wasStreamed = this.#streamed.takeIsShown();
    if (text !== '') this.#shownMessages.add(message.uuid);
    // A block without an end event ends here. Its last word may still be held back.
    const end: readonly OutputPart[] = wasStreamed && message.incomplete ? [{ kind: 'end of stream' }] : [];
    if (text === '' || wasStreamed) return [...end, ...this.#takeHeld()];
    const { paint, signs } = this.#setup.style;
    if (message.apiError)
      return [{ kind: 'line', text: paint('red', `${signs.failed} ${escapeControls(text)}`) }];
    return [{ kind: 'stream', text: escapeControls(text) }, { kind: 'end of stream' }];
  }

  #results(message: UserMessage): readonly OutputPart[] {
    if (typeof message.content === 'string') return [];
    return this.#afterText(message.content.filter(isToolResult).flatMap((result) => this.#result(result)));
  }

  #result(result: ToolResultBlock): readonly OutputPart[] {
    const id = result.tool_use_id;
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const { style, detail } = this.#setup;
    const [head = '', ...below] = resultRows(call?.tool ?? '', result, style, detail);
    const changed = call?.change && !result.is_error ? changeRows(call.change, style) : [];
    const follows = this.#lastCall === id;
    this.#lastCall = undefined;
    return [follows || !call ? head : `${call.line}: ${head}`, ...below, ...changed].map(lineBelow);
  }

  #intent(intent: ToolIntent): readonly OutputPart[] {
    const { toolUseId: id, tool, input } = intent;
    const call = this.#remember(id, tool, input, intent);
    this.#lastCall = id;
    const { style, current } = this.#setup;
    const { paint, signs } = style;
    if (!this.#seen.delete(id)) call.change = changeOf(tool, input, current(intent));
    const name = nameOf(tool);
    const purpose = purposeOf(tool, input);
    const suffix = purpose === undefined ? '' : paint('dim', ` (${purpose})`);
    const text = `${paint('cyan', signs.call)} ${paint('bold', name)}${call.line.slice(name.length)}${suffix}`;
    const below = tool === 'TodoWrite' ? this.#steps(input['todos']) : [];
    return this.#afterText([...this.#streamed.end(), { kind: 'line', text }, ...below.map(lineBelow)]);
  }

  #steps(todos: unknown): string[] {
    const before = this.#todos;
    this.#todos = todos;
    return todoChanges(before, todos, this.#setup.style);
  }

  #remember(id: string, tool: string, input: JsonObject, place?: CallPlace): Call {
    const call: Call = { line: callLine(tool, input, this.#setup.cwd, place), tool };
    this.#calls.set(id, call);
    return call;
  }

  #once({ type }: LoopEvent, text: string): readonly OutputPart[] {
    if (this.#shownOnce.has(type)) return [];
    this.#shownOnce.add(type);
    return [this.#note('dim', escapeControls(text))];
  }

  #beginAnswer(): readonly OutputPart[] {
    this.#shownMessages.clear();
    this.#streamed.takeIsShown();
    return [{ kind: 'answer begins' }];
  }

  /** Retracts the text of this attempt. `silent`: the note if no text was shown. */
  #retract(erased: string | undefined, left: string, silent?: string): readonly OutputPart[] {
    const held = this.#takeHeld();
    if (this.#shownMessages.size === 0 && !this.#streamed.isShown)
      return [
        ...held,
        ...this.#streamed.end(),
        ...(silent === undefined ? [] : [this.#note('yellow', silent)]),
      ];
    const painted = (text: string): string => this.#setup.style.paint('yellow', `  (${text})`);
    const gone = erased === undefined ? undefined : painted(erased);
    return [...held, { kind: 'retract', erased: gone, left: painted(left) }, ...this.#beginAnswer()];
  }

  /** Holds lines back until the streaming text ends. */
  #afterText(pieces: readonly OutputPart[]): readonly OutputPart[] {
    if (!this.#streamed.isShown) return pieces;
    this.#held.push(...pieces);
    return [];
  }

  #takeHeld(): readonly OutputPart[] {
    return this.#held.splice(0);
  }

  #noteIf(text: string | undefined): readonly OutputPart[] {
    return text === undefined ? [] : [this.#note('dim', text)];
  }

  #note(look: 'dim' | 'yellow', text: string): OutputPart {
    return { kind: 'line', text: this.#setup.style.paint(look, `  (${text})`) };
  }
}

/** After these transitions the iteration is repeated, so its answer is retracted. */
const REPEATING: ReadonlySet<TransitionReason> = new Set([
  'max_output_tokens_escalate',
  'collapse_drain_retry',
  'reactive_compact_retry',
]);

function lineBelow(text: string): OutputPart {
  return { kind: 'line', text: `  ${text}` };
}
