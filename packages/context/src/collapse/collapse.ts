/** Level 4: the model sees finished stretches of work as summaries. The history itself never changes. */
import { History, type Message, type UserMessage } from '@heddle/core';
import type { Collapse, CollapseStore } from '../deps.ts';

/** Projects the history for each request. A history that grew costs only what was added. */
export class CollapseProjector {
  #source = History.of<Message>([]);
  #view = this.#source;
  #collapses: readonly Collapse[] = [];

  view(history: History<Message>, collapses: readonly Collapse[]): History<Message> {
    if (collapses.length === 0) return history;
    const isKnown =
      collapses.length === this.#collapses.length && collapses.at(-1) === this.#collapses.at(-1);
    this.#view =
      isKnown && history.extends(this.#source)
        ? this.#view.append(history.since(this.#source.length))
        : projectCollapses(history, collapses);
    this.#source = history;
    this.#collapses = [...collapses];
    return this.#view;
  }
}

/** Pure. Ignores a collapse unless both of its ends exist, in order. */
export function projectCollapses(
  history: History<Message>,
  collapses: readonly Collapse[],
): History<Message> {
  const places = new Map<string, number>();
  for (let index = 0; index < history.length; index++) {
    const uuid = history.at(index)?.uuid;
    if (uuid !== undefined) places.set(uuid, index);
  }
  const starts = new Map<number, { readonly collapse: Collapse; readonly to: number }>();
  for (const collapse of collapses) {
    const [from, to] = [places.get(collapse.from), places.get(collapse.to)];
    if (from !== undefined && to !== undefined && from <= to) starts.set(from, { collapse, to });
  }
  if (starts.size === 0) return history;
  const view: Message[] = [];
  for (let index = 0; index < history.length; index++) {
    const start = starts.get(index);
    const message = start ? summaryMessage(start.collapse) : history.at(index);
    if (message !== undefined) view.push(message);
    if (start) index = start.to;
  }
  return History.of(view);
}

const summaries = new WeakMap<Collapse, UserMessage>();

/** Returns the same object each time, so that the request builder recognizes an unchanged message. */
function summaryMessage(collapse: Collapse): UserMessage {
  const known = summaries.get(collapse);
  if (known) return known;
  const { id, at, summary } = collapse;
  const message: UserMessage = { type: 'user', uuid: id, at, content: summary, isMeta: true };
  summaries.set(collapse, message);
  return message;
}

/** A store in memory, for tests and for sessions without a log. */
export function memoryCollapses(known: readonly Collapse[] = []): CollapseStore {
  let committed = [...known];
  return {
    committed: () => committed,
    save(collapses) {
      committed = [...collapses];
      return Promise.resolve(true);
    },
  };
}
