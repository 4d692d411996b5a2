/** The input line: its draft, the answer to a question, the history search and the removed texts. */
import type { Completed } from '../terminal/completion/complete.ts';
import {
  type Draft,
  draftOf,
  type EditorAction,
  EMPTY,
  insert,
  type Key,
  press,
} from '../terminal/input/editor.ts';
import type { Recall } from '../terminal/input/prompt-history.ts';
import {
  found,
  hitOf,
  type HistoryHit,
  NEW_SEARCH,
  type Search,
  searchKey,
} from '../terminal/input/search.ts';

export interface PromptInputSetup {
  readonly recall: Recall;
  /** Completes the draft on Tab. */
  readonly complete: (draft: Draft) => Completed;
}

/** An action that the screen carries out. */
export type InputAction =
  | { readonly kind: 'submit'; readonly text: string }
  | { readonly kind: 'choices'; readonly names: readonly string[] }
  | { readonly kind: 'editor'; readonly action: ScreenAction };

type ScreenAction = Exclude<EditorAction, 'submit' | 'older' | 'newer' | 'search' | 'complete' | 'put back'>;

export class PromptInput {
  readonly #setup: PromptInputSetup;
  #draft: Draft = EMPTY;
  #search: Search | undefined;
  /** The text that was removed last. */
  #cut = '';

  constructor(setup: PromptInputSetup) {
    this.#setup = setup;
  }

  get draft(): Draft {
    return this.#draft;
  }

  set draft(draft: Draft) {
    this.#draft = draft;
  }

  /** The current search with its match. Undefined if none is open. */
  get search(): (HistoryHit & { readonly query: string; readonly isMissing: boolean }) | undefined {
    if (!this.#search) return undefined;
    const match = this.#match();
    const { query } = this.#search;
    return { ...hitOf(this.#search, match ?? ''), query, isMissing: match === undefined && query !== '' };
  }

  get isSearching(): boolean {
    return this.#search !== undefined;
  }

  /** Puts a text before the draft. */
  put(text: string): void {
    const parts = [text, this.#draft.text].filter((part) => part !== '');
    this.#draft = draftOf(parts.join('\n'));
  }

  takeDraft(): string {
    const { text } = this.#draft;
    this.#setup.recall.rest();
    this.#draft = EMPTY;
    return text;
  }

  closeSearch(): void {
    this.#search = undefined;
  }

  paste(text: string): void {
    this.#search = undefined;
    this.#draft = insert(this.#draft, text);
  }

  /** Handles a key. Returns the action that it asks for, if any. */
  take(key: Key): InputAction | undefined {
    if (this.#search) return this.#searchKey(this.#search, key);
    const pressed = press(this.#draft, key);
    if (pressed.kind === 'draft') {
      if (pressed.cut) this.#cut = pressed.cut;
      this.#draft = pressed.draft;
      return undefined;
    }
    return this.#act(pressed.wish);
  }

  #act(action: EditorAction): InputAction | undefined {
    const { recall, complete } = this.#setup;
    switch (action) {
      case 'submit':
        return this.#submit();
      case 'older':
        return this.#recalled(recall.older(this.#draft.text));
      case 'newer':
        return this.#recalled(recall.newer());
      case 'search':
        this.#search = NEW_SEARCH;
        return undefined;
      case 'complete': {
        const completed = complete(this.#draft);
        if (completed.kind === 'draft') this.#draft = completed.draft;
        return completed.kind === 'choices' ? { kind: 'choices', names: completed.names } : undefined;
      }
      case 'put back':
        this.#draft = insert(this.#draft, this.#cut);
        return undefined;
      default:
        return { kind: 'editor', action };
    }
  }

  #submit(): InputAction {
    return { kind: 'submit', text: this.takeDraft() };
  }

  #recalled(text: string | undefined): undefined {
    if (text !== undefined) this.#draft = draftOf(text);
  }

  #searchKey(search: Search, key: Key): InputAction | undefined {
    const searched = searchKey(search, key);
    const match = this.#match();
    this.#search = searched.kind === 'search' ? searched.search : undefined;
    if (searched.kind !== 'take' || match === undefined) return undefined;
    this.#draft = draftOf(match);
    return searched.submit ? this.#submit() : undefined;
  }

  #match(): string | undefined {
    return this.#search && found(this.#search, this.#setup.recall.newestFirst);
  }
}
