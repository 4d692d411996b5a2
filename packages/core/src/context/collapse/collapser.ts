/** Stages, commits and projects collapses for one conversation. Staged ones wait in memory; committed ones are stored. */
import type { ContextReport } from '../report.ts';
import { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import type { CollapseOptions } from '../options.ts';
import type { Outline } from '../reading/outline.ts';
import { type Collapse, type CollapseStore, Projector } from './collapse.ts';
import { stage } from './stage.ts';

export interface CollapserSetup {
  readonly store: CollapseStore;
  readonly options: CollapseOptions;
  readonly stamp: () => { readonly uuid: string; readonly at: number };
}

export class Collapser {
  readonly #setup: CollapserSetup;
  readonly #projector = new Projector();
  #staged: readonly Collapse[] = [];
  /** Up to this round of this history it is known what can be staged. */
  #nextRound = 0;
  #seenRounds = 0;
  #source = History.of<Message>([]);
  #mayStage = true;

  constructor(setup: CollapserSetup) {
    this.#setup = setup;
  }

  get staged(): number {
    return this.#staged.length;
  }

  /** Staging is done once after each good answer. What fails in between finds what there was, so recoveries end. */
  answered(): void {
    this.#mayStage = true;
  }

  view(messages: History<Message>): History<Message> {
    return this.#projector.view(messages, this.#setup.store.committed());
  }

  stage(messages: History<Message>, outline: Outline, isCompactable: (tool: string) => boolean): void {
    if (!messages.extends(this.#source)) this.#forget();
    this.#source = messages;
    if (!this.#mayStage) return;
    this.#mayStage = false;
    const { options, stamp, store } = this.#setup;
    const known = new Set([...this.#staged, ...store.committed()].map(({ from }) => from));
    const found = stage(messages, outline, {
      options,
      stamp,
      isCompactable,
      known,
      fromRound: this.#nextRound,
      seenRounds: this.#seenRounds,
    });
    this.#nextRound = found.nextRound;
    this.#seenRounds = found.seenRounds;
    if (found.staged.length > 0) this.#staged = [...this.#staged, ...found.staged];
  }

  /** Commits the oldest so many. */
  async commit(
    count: number,
    level: 'collapse' | 'drain',
    tokens: number,
  ): Promise<{ readonly committed: number; readonly report: ContextReport | undefined }> {
    const chosen = this.#staged.slice(0, count);
    if (chosen.length === 0) return { committed: 0, report: undefined };
    this.#staged = this.#staged.slice(count);
    await this.#setup.store.commit(chosen);
    const freed = chosen.reduce((sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter, 0);
    const report: ContextReport = {
      level,
      tokensBefore: tokens,
      tokensAfter: tokens - freed,
      rewrotePrefix: true,
      details: { collapses: chosen.map(({ id }) => id) },
    };
    return { committed: chosen.length, report };
  }

  /** After a compaction nothing is left of what they stood for. */
  async clear(): Promise<void> {
    this.#forget();
    if (this.#setup.store.committed().length > 0) await this.#setup.store.clear();
  }

  #forget(): void {
    this.#staged = [];
    this.#nextRound = 0;
    this.#seenRounds = 0;
  }
}
