/**
 * Reads thinking and tool calls that a model writes as text. A server that does not know a model's
 * template passes its markup on as content: `<think>…</think>`, `<tool_call>{…}</tool_call>` and others.
 * Pure and incremental: a tag may arrive in parts.
 */

import { CALL_MARKUPS, type CallMarkup, callsInJson, type WrittenCall } from './markup-calls.ts';

export type WrittenPart =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  /** All text of the response so far, emitted or not, is thinking. */
  | { readonly kind: 'text was thinking'; readonly text: string }
  | WrittenCall;

type Markup = CallMarkup | typeof THINKING;

const THINKING = { open: '<think>', close: '</think>' } as const;
/**
 * Models whose template ends with `<think>`: the response contains only `</think>`. Their text is held back until it, or
 * until the end.
 */
const OPENED_BY_TEMPLATE = /(?:^|[/:._-])(?:r1|qwq|thinking)(?:$|[/:._-])/i;
/** The start of a response that consists only of a call as JSON. */
const BARE_JSON = /^\s*(?:```(?:json)?\s*)?\{/;

export class MarkupReader {
  /** True if markup of a call was seen that is not a call of a known tool. */
  hasUnreadCall = false;
  readonly #isTool: (name: string) => boolean;
  #pending = '';
  #inside: Markup | undefined;
  /**
   * True while only white space arrived: thinking, or a response that is one JSON object, can still begin.
   */
  #isStart = true;

  /** True while the response may have begun with thinking that its template opened. */
  #mayBeThinking: boolean;

  /**
   * The text that was emitted, while it is all of the response: a model with another name may also have a template that opens
   * thinking. Undefined if it cannot be thinking any more.
   */
  #emittedFirst: string | undefined = '';
  #isEnded = false;

  constructor(isTool: (name: string) => boolean, model = '') {
    this.#isTool = isTool;
    this.#mayBeThinking = OPENED_BY_TEMPLATE.test(model);
  }

  /** The server sends thinking as such, so the text contains none. */
  noteSeparateThinking(): void {
    this.#mayBeThinking = false;
    this.#emittedFirst = undefined;
  }

  /** The server sends a call as such. The text before it is final. */
  noteSeparateCall(): void {
    this.#emittedFirst = undefined;
  }

  push(text: string): WrittenPart[] {
    this.#pending += text;
    const parts: WrittenPart[] = [];
    while (this.#step(parts));
    return parts;
  }

  /** Ends the response and returns the text that was held back. */
  end(): WrittenPart[] {
    this.#mayBeThinking = false;
    this.#isEnded = true;
    const parts = this.push('');
    const rest = this.#pending;
    const inside = this.#inside;
    this.#pending = '';
    this.#inside = undefined;
    if (rest === '' && inside === undefined) return parts;
    if (inside && 'calls' in inside) return [...parts, ...this.#callsIn(inside, rest, '')];
    if (inside) return [...parts, { kind: 'thinking', text: rest }];
    const [bare] = BARE_JSON.test(rest) ? callsInJson(withoutFence(rest)) : [];
    return [...parts, bare && this.#isTool(bare.name) ? bare : { kind: 'text', text: rest }];
  }

  /** Takes the next part from the pending text. Returns false if more text is needed. */
  #step(parts: WrittenPart[]): boolean {
    if (this.#pending === '') return false;
    return this.#inside ? this.#stepInside(this.#inside, parts) : this.#stepText(parts);
  }

  #stepInside(inside: Markup, parts: WrittenPart[]): boolean {
    const { close } = inside;
    const end = close === undefined ? -1 : this.#pending.indexOf(close);
    if (close === undefined || end < 0) {
      if (inside !== THINKING || close === undefined) return false;
      const held = partialTag(this.#pending, [close]);
      const ready = this.#pending.slice(0, this.#pending.length - held);
      this.#pending = this.#pending.slice(ready.length);
      if (ready !== '') parts.push({ kind: 'thinking', text: ready });
      return false;
    }
    const body = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end + close.length);
    this.#inside = undefined;
    if ('calls' in inside) parts.push(...this.#callsIn(inside, body, close));
    else if (body !== '') parts.push({ kind: 'thinking', text: body });
    return true;
  }

  #stepText(parts: WrittenPart[]): boolean {
    const text = this.#pending;
    if (this.#isStart && (text.trim() === '' || BARE_JSON.test(text) || '```json'.startsWith(text.trim())))
      return false;
    if (this.#isStart && this.#mayBeThinking && !text.trimStart().startsWith(THINKING.open)) {
      const close = text.indexOf(THINKING.close);
      if (close < 0) return false;
      this.#mayBeThinking = false;
      this.#isStart = false;
      this.#emittedFirst = undefined;
      parts.push({ kind: 'thinking', text: text.slice(0, close) });
      this.#pending = text.slice(close + THINKING.close.length);
      return true;
    }
    const lone = this.#loneClose(text);
    if (lone === 'unclear') return false;
    if (lone !== undefined) {
      if (lone.thinking.trim() !== '') parts.push({ kind: 'text was thinking', text: lone.thinking });
      this.#emittedFirst = undefined;
      this.#isStart = false;
      this.#pending = lone.rest;
      return true;
    }
    const tags: readonly Markup[] = this.#isStart ? [THINKING, ...CALL_MARKUPS] : CALL_MARKUPS;
    const found = tags
      .map((markup) => ({ markup, at: text.indexOf(markup.open) }))
      .filter(({ markup, at }) => at >= 0 && (markup !== THINKING || text.slice(0, at).trim() === ''))
      .toSorted((a, b) => a.at - b.at)[0];
    const names = tags.map(({ open }) => open);
    if (this.#emittedFirst !== undefined) names.push(THINKING.close);
    const until = found?.at ?? text.length - partialTag(text, names);
    if (until > 0) {
      const ready = text.slice(0, until);
      if (!this.#isStart || ready.trim() !== '') {
        parts.push({ kind: 'text', text: ready });
        this.#isStart = false;
        if (this.#emittedFirst !== undefined) this.#emittedFirst += ready;
      }
    }
    this.#pending = text.slice(until + (found?.markup.open.length ?? 0));
    if (!found) return false;
    this.#inside = found.markup;
    this.#emittedFirst = undefined;
    return true;
  }

  /**
   * Looks for `</think>` without its beginning, in a line of its own. Text that explains the tag has it inside a sentence or a
   * code block, or has the beginning, too. `unclear`: the rest of the line must arrive first.
   */
  #loneClose(text: string): { readonly thinking: string; readonly rest: string } | 'unclear' | undefined {
    if (this.#emittedFirst === undefined) return undefined;
    const at = text.indexOf(THINKING.close);
    if (at < 0) return undefined;
    const thinking = this.#emittedFirst + text.slice(0, at);
    const rest = text.slice(at + THINKING.close.length);
    const isOver =
      (thinking.trim() === '' || /\n[ \t]*$/.test(thinking)) &&
      !thinking.includes(THINKING.open) &&
      thinking.split('```').length % 2 === 1 &&
      CALL_MARKUPS.every(({ open }) => !thinking.includes(open));
    if (isOver && rest.trim() === '' && !rest.includes('\n') && !this.#isEnded) return 'unclear';
    if (isOver && /^[ \t]*(?:\r?\n|$)/.test(rest)) return { thinking, rest };
    this.#emittedFirst = undefined;
    return undefined;
  }

  /** Markup that is not a call of a known tool stays text, so that the user sees it. */
  #callsIn(markup: CallMarkup, body: string, close: string): WrittenPart[] {
    const calls = markup.calls(body);
    if (calls.length > 0 && calls.every(({ name }) => this.#isTool(name))) return [...calls];
    this.hasUnreadCall = true;
    return [{ kind: 'text', text: markup.open + body + close }];
  }
}

function withoutFence(text: string): string {
  const inner = text.trim().replace(/^```(?:json)?\s*/, '');
  return inner.endsWith('```') ? inner.slice(0, -3).trimEnd() : inner;
}

/** Returns how many characters at the end may be the start of one of these tags. */
function partialTag(text: string, tags: readonly string[]): number {
  const longest = Math.max(...tags.map((tag) => tag.length)) - 1;
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (tags.some((tag) => tag.startsWith(end))) return length;
  }
  return 0;
}
