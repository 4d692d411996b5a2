/** Tells a run as it happens: events of the loop in, pieces for the screen out. It remembers only what a later event needs. */
import {
  type AssistantMessage,
  isToolResult,
  isToolUse,
  type JsonObject,
  type LoopEvent,
  textOf,
  type ToolResultBlock,
  type TransitionReason,
  type UserMessage,
} from '@heddle/core';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { Style } from '../../terminal/style.ts';
import { type ShownChange, changeOf, changeRows } from '../change/change.ts';
import { shortened } from '../../terminal/amounts.ts';
import { callLine, nameOf, purposeOf } from '../../terminal/call-line.ts';
import type { OutputPart } from '../screen/screen.ts';
import { attachmentNote, contextNote, retryNote, serverWords, systemNote, transitionNote } from './notes.ts';
import { resultRows } from './result.ts';
import { StreamedText } from './streamed-text.ts';
import { todoChanges } from '../../terminal/todo-lines.ts';

export interface EventRendererSetup {
  readonly style: Style;
  readonly cwd: string;
  /** The file that a call is about to change, as it is now. */
  readonly current: (tool: string, input: JsonObject) => string | undefined;
}

interface Call {
  readonly line: string;
  readonly tool: string;
  /** What it does to a file, where nobody has seen that yet. */
  change?: ShownChange | undefined;
}

export class EventRenderer {
  readonly #setup: EventRendererSetup;
  readonly #calls = new Map<string, Call>();
  /** The call that was last announced: its result needs no name. */
  #lastCall: string | undefined;
  readonly #spoken: StreamedText;
  /** The text messages of this attempt that stand on the screen. */
  readonly #said = new Set<string>();
  readonly #held: OutputPart[] = [];
  #tellsOfContext = false;
  /** Calls whose change was shown with a question. */
  readonly #seen = new Set<string>();
  /** The model's steps as it last wrote them. */
  #todos: unknown;
  /** What the server said of the last trouble. */
  #trouble: string | undefined;
  /** Notes that are of use once. */
  readonly #told = new Set<LoopEvent['type']>();

  constructor(setup: EventRendererSetup) {
    this.#setup = setup;
    this.#spoken = new StreamedText(setup.style);
  }

  tell(event: LoopEvent): readonly OutputPart[] {
    switch (event.type) {
      case 'stream_request_start':
        return [...this.#takeHeld(), ...this.#beginAnswer()];
      case 'stream_event':
        // What was said before a pause stands: only the response that begins here may be retracted.
        if (event.event.type === 'message_start') return this.#beginAnswer();
        return this.#spoken.hear(event.event);
      case 'message':
        return this.#message(event);
      case 'tool_intent':
        return this.#intent(event.toolUseId, event.tool, event.input);
      case 'answer_end':
        this.#trouble = undefined;
        return [];
      case 'retry': {
        const note = retryNote(event, this.#trouble);
        this.#trouble = serverWords(event.error);
        return this.#retract(note, `${note}; the answer begins again`, note);
      }
      case 'tombstone':
        // Of an answer that was cut behind its calls, only the last block goes.
        if ([...this.#said].some((uuid) => !event.uuids.includes(uuid)))
          return [this.#note('yellow', 'the unfinished last part was taken back')];
        return this.#retract(undefined, 'taken back; the answer begins again');
      case 'transition':
        return [
          ...(DONE_OVER.has(event.transition.reason) ? this.#retract(undefined, 'taken back') : []),
          ...this.#noteIf(transitionNote(event.transition)),
        ];
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
          : this.#once(event, 'the beginning of the conversation changed: it is not cached any more');
      }
      case 'mended':
        return this.#once(event, `the history was mended: ${shortened(event.mends.join('; '), 160)}`);
      case 'hook_progress':
        return [
          this.#note(
            'dim',
            `hook ${escapeControls(event.hook)}: ${escapeControls(shortened(event.text, 160))}`,
          ),
        ];
      case 'tool_use_summary':
        return [this.#note('dim', escapeControls(shortened(event.summary, 200)))];
      // What else there is speaks for itself, or is for programs.
      default:
        return [];
    }
  }

  /** A question has shown what this call does to a file. */
  wasShown(callId: string): void {
    this.#seen.add(callId);
  }

  /** Calls of an earlier run that have not come to an end: their results are still to be told. */
  takeUp(calls: readonly { readonly id: string; readonly name: string; readonly input: JsonObject }[]): void {
    for (const { id, name, input } of calls) this.#remember(id, name, input);
  }

  /** The run is over, however: nothing of it is still coming. */
  end(): readonly OutputPart[] {
    const pieces = [...this.#spoken.end(), ...this.#takeHeld()];
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
    const wasStreamed = this.#spoken.takeIsSaid();
    if (text !== '') this.#said.add(message.uuid);
    // A block that never stopped ends here; its last word may still wait for its row.
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
    const { style } = this.#setup;
    const [head = '', ...below] = resultRows(call?.tool ?? '', result, style);
    const changed = call?.change && !result.is_error ? changeRows(call.change, style) : [];
    const follows = this.#lastCall === id;
    this.#lastCall = undefined;
    return [follows || !call ? head : `${call.line}: ${head}`, ...below, ...changed].map(lineBelow);
  }

  #intent(id: string, tool: string, input: JsonObject): readonly OutputPart[] {
    const call = this.#remember(id, tool, input);
    this.#lastCall = id;
    const { style, current } = this.#setup;
    const { paint, signs } = style;
    if (!this.#seen.delete(id)) call.change = changeOf(tool, input, current(tool, input));
    const name = nameOf(tool);
    const purpose = purposeOf(tool, input);
    const said = purpose === undefined ? '' : paint('dim', ` (${purpose})`);
    const text = `${paint('cyan', signs.call)} ${paint('bold', name)}${call.line.slice(name.length)}${said}`;
    const below = tool === 'TodoWrite' ? this.#steps(input['todos']) : [];
    return this.#afterText([...this.#spoken.end(), { kind: 'line', text }, ...below.map(lineBelow)]);
  }

  #steps(todos: unknown): string[] {
    const before = this.#todos;
    this.#todos = todos;
    return todoChanges(before, todos, this.#setup.style);
  }

  #remember(id: string, tool: string, input: JsonObject): Call {
    const call: Call = { line: callLine(tool, input, this.#setup.cwd), tool };
    this.#calls.set(id, call);
    return call;
  }

  #once({ type }: LoopEvent, text: string): readonly OutputPart[] {
    if (this.#told.has(type)) return [];
    this.#told.add(type);
    return [this.#note('dim', escapeControls(text))];
  }

  #beginAnswer(): readonly OutputPart[] {
    this.#said.clear();
    this.#spoken.takeIsSaid();
    return [{ kind: 'answer begins' }];
  }

  /** What was shown of this attempt is void. `silent`: the note if nothing of it was shown. */
  #retract(erased: string | undefined, left: string, silent?: string): readonly OutputPart[] {
    const held = this.#takeHeld();
    if (this.#said.size === 0 && !this.#spoken.isSaid)
      return [
        ...held,
        ...this.#spoken.end(),
        ...(silent === undefined ? [] : [this.#note('yellow', silent)]),
      ];
    const painted = (text: string): string => this.#setup.style.paint('yellow', `  (${text})`);
    const gone = erased === undefined ? undefined : painted(erased);
    return [...held, { kind: 'retract', erased: gone, left: painted(left) }, ...this.#beginAnswer()];
  }

  /** Lines that came while text streams wait for its end: they would tear it apart. */
  #afterText(pieces: readonly OutputPart[]): readonly OutputPart[] {
    if (!this.#spoken.isSaid) return pieces;
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

/** The iteration is done over: what was shown of its answer does not stand. */
const DONE_OVER: ReadonlySet<TransitionReason> = new Set([
  'max_output_tokens_escalate',
  'collapse_drain_retry',
  'reactive_compact_retry',
]);

function lineBelow(text: string): OutputPart {
  return { kind: 'line', text: `  ${text}` };
}
