/** The input line: its draft, its menu, the history search, removed texts, earlier drafts and folded pastes. */
import type { Completed } from '../terminal/completion/complete.ts';
import {
  type Draft,
  draftOf,
  type EditorAction,
  EMPTY,
  insert,
  isTyped,
  type Key,
  press,
} from '../terminal/input/editor.ts';
import { type Keybindings, NO_KEYBINDINGS, resolveKey } from '../terminal/input/keybindings.ts';
import type { Recall } from '../terminal/input/prompt-history.ts';
import {
  found,
  hitOf,
  type HistoryHit,
  NEW_SEARCH,
  type Search,
  searchKey,
} from '../terminal/input/search.ts';
import { NEW_VIM, pressVim, type VimState } from '../terminal/input/vim.ts';
import { charactersOf } from '../terminal/width.ts';
import { FoldedPastes } from './folded-pastes.ts';
import { type Menu, menuFor, menuKey, type MenuSources } from './menu.ts';

export interface PromptInputSetup {
  readonly recall: Recall;
  /** Completes the draft on Tab. */
  readonly complete: (draft: Draft) => Completed;
  /** The entries of menus. Undefined for a line without menus. */
  readonly menus?: MenuSources;
  /** The line has the modes and keys of Vim. */
  readonly hasVimKeys?: boolean;
  /** Returns the user's own keys. */
  readonly keybindings?: () => Keybindings;
  /** Returns the queued prompts as one text, to edit them. Undefined if there are none. */
  readonly takeQueued?: () => string | undefined;
}

/** An action that the screen carries out. */
export type InputAction =
  /** `shown`: the text with marks for long pastes. */
  | { readonly kind: 'submit'; readonly text: string; readonly shown: string }
  | { readonly kind: 'choices'; readonly names: readonly string[] }
  | { readonly kind: 'editor'; readonly action: ScreenAction };

type ScreenAction = Extract<
  EditorAction,
  | 'interrupt'
  | 'leave'
  | 'escape'
  | 'next mode'
  | 'edit outside'
  | 'paste image'
  | 'clear'
  | 'suspend'
  | 'show output'
>;

interface PutBack {
  /** The draft without the inserted text. */
  readonly before: Draft;
  /** The place of the text in the list of removed texts. */
  readonly index: number;
}

const NOTHING: Completed = { kind: 'nothing' };
const MAX_EARLIER = 200;
const MAX_CUTS = 20;

export class PromptInput {
  readonly #setup: PromptInputSetup;
  readonly #pastes = new FoldedPastes();
  #draft: Draft = EMPTY;
  #menu: Menu | undefined;
  #search: Search | undefined;
  /** Earlier drafts, for undo. */
  #earlier: Draft[] = [];
  /** Removed texts, the newest first. */
  #cuts: readonly string[] = [];
  /** The text that Ctrl-Y inserted last, if no other key followed. */
  #putBack: PutBack | undefined;
  /** The keys of an unfinished sequence. */
  #pendingKeys = '';
  /** Undefined without Vim keys. */
  #vim: VimState | undefined;

  constructor(setup: PromptInputSetup) {
    this.#setup = setup;
    this.#vim = setup.hasVimKeys ? NEW_VIM : undefined;
  }

  get vimMode(): VimState['mode'] | undefined {
    return this.#vim?.mode;
  }

  get draft(): Draft {
    return this.#draft;
  }

  /** Replaces the draft. The menu closes. */
  set draft(draft: Draft) {
    this.#remember(draft);
    this.#draft = draft;
    this.#menu = undefined;
  }

  get menu(): Menu | undefined {
    return this.#search ? undefined : this.#menu;
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
    this.draft = draftOf(parts.join('\n'));
  }

  /**
   * Puts an earlier prompt before the draft that the user may not have typed. Returns true if the line shows only a mark for
   * it.
   */
  putData(prompt: string): boolean {
    const shown = this.#pastes.foldPrompt(prompt);
    this.put(shown);
    return this.#pastes.unfold(shown) !== shown;
  }

  /** The text of the line with the pasted texts. */
  get fullText(): string {
    return this.#pastes.unfold(this.#draft.text);
  }

  /** The text for the editor of the user. */
  get textToEdit(): string {
    return this.#pastes.toEdit(this.#draft.text);
  }

  /** Takes the text of the editor. Long pastes stay pastes. */
  takeEdited(text: string): void {
    this.draft = draftOf(this.#pastes.refold(this.#draft.text, text));
  }

  /** Long pasted texts, for which the line shows a mark. */
  get pastedTexts(): readonly string[] {
    return this.#pastes.texts;
  }

  /** Empties the line, and returns its text with the pasted texts. */
  takeDraft(): string {
    const { text } = this.#draft;
    this.#setup.recall.rest();
    this.draft = EMPTY;
    return this.#pastes.unfold(text);
  }

  closeSearch(): void {
    this.#search = undefined;
  }

  paste(text: string): void {
    this.#search = undefined;
    this.draft = insert(this.#draft, this.#pastes.fold(text));
  }

  /** Computes the open menu again, because its entries have changed. */
  refreshMenu(): void {
    if (this.#setup.menus) this.#menu = menuFor(this.#draft, this.#setup.menus);
  }

  /** Inserts a mark for an image, which is attached when the line is sent. */
  pasteImage(file: string): void {
    this.#search = undefined;
    this.draft = insert(this.#draft, `${this.#pastes.foldImage(file)} `);
  }

  /** Handles a key, or the action that the user has bound to it. Returns the action that it asks for, if any. */
  take(pressed: Key): InputAction | undefined {
    const bindings = this.#setup.keybindings?.() ?? NO_KEYBINDINGS;
    const resolved = resolveKey(bindings, this.#pendingKeys, pressed);
    this.#pendingKeys = resolved.kind === 'wait' ? resolved.pending : '';
    if (resolved.kind === 'key') return this.#take(resolved.key);
    if (resolved.kind !== 'command') return undefined;
    const text = `/${resolved.name}`;
    return { kind: 'submit', text, shown: text };
  }

  #take(key: Key): InputAction | undefined {
    const putBack = this.#putBack;
    this.#putBack = undefined;
    if (this.#search) return this.#searchKey(this.#search, key);
    if (this.#menu) {
      const pressed = menuKey(this.#menu, key, this.#draft);
      if (pressed.kind === 'menu') this.#menu = pressed.menu;
      if (pressed.kind === 'accept') this.draft = pressed.draft;
      if (pressed.kind === 'accept' && pressed.submits) return this.#submit();
      if (pressed.kind !== 'other') return undefined;
    }
    // Letters that arrive together are several commands.
    const letters = this.#vim?.mode === 'normal' && isTyped(key) ? charactersOf(key.sequence ?? '') : [];
    if (letters.length > 1) {
      for (const sequence of letters) this.#take({ sequence });
      return undefined;
    }
    const vim = this.#vim && pressVim(this.#vim, this.#draft, key);
    this.#vim = vim?.vim;
    if (vim?.kind === 'draft') {
      this.draft = vim.draft;
      return undefined;
    }
    return this.#edit(vim?.key ?? key, putBack);
  }

  #edit(key: Key, putBack: PutBack | undefined): InputAction | undefined {
    const erased = key.name === 'backspace' ? this.#pastes.eraseMark(this.#draft) : undefined;
    const pressed = erased ? { kind: 'draft' as const, draft: erased } : press(this.#draft, key);
    if (pressed.kind === 'wish') return this.#act(pressed.wish, putBack);
    if (pressed.cut) this.#cuts = [pressed.cut, ...this.#cuts].slice(0, MAX_CUTS);
    this.draft = pressed.draft;
    this.refreshMenu();
    return undefined;
  }

  #act(action: EditorAction, putBack: PutBack | undefined): InputAction | undefined {
    const { recall, complete } = this.#setup;
    switch (action) {
      case 'submit':
        return this.#submit();
      case 'older': {
        const queued = this.#draft.text === '' ? this.#setup.takeQueued?.() : undefined;
        return this.#recalled(queued ?? recall.older(this.#draft.text));
      }
      case 'newer':
        return this.#recalled(recall.newer());
      case 'search':
        this.#search = NEW_SEARCH;
        return undefined;
      case 'complete': {
        const completed = this.#hidesQuotes() ? NOTHING : complete(this.#draft);
        if (completed.kind === 'draft') this.draft = completed.draft;
        return completed.kind === 'choices' ? { kind: 'choices', names: completed.names } : undefined;
      }
      case 'put back':
        return this.#insertCut({ before: this.#draft, index: 0 });
      case 'put back older':
        return putBack && this.#insertCut({ ...putBack, index: (putBack.index + 1) % this.#cuts.length });
      case 'undo': {
        const earlier = this.#earlier.pop();
        if (earlier) this.#draft = earlier;
        this.#menu = undefined;
        return undefined;
      }
      default:
        return { kind: 'editor', action };
    }
  }

  /** A text that the line does not show may contain quotes, so that it is not certain how to quote a name after it. */
  #hidesQuotes(): boolean {
    const { text } = this.#draft;
    return /^\s*!/.test(text) && this.#pastes.unfold(text) !== text;
  }

  /** Inserts a removed text. Alt-Y replaces it by the one before it. */
  #insertCut(putBack: PutBack): undefined {
    this.draft = insert(putBack.before, this.#cuts[putBack.index] ?? '');
    this.#putBack = putBack;
  }

  /** Keeps the draft for undo. Typed letters of one word are undone together. */
  #remember(next: Draft): void {
    const { text } = this.#draft;
    if (next.text === text) return;
    const added = next.text.startsWith(text) ? next.text.slice(text.length) : undefined;
    const continuesWord = added !== undefined && /^\S$/u.test(added) && /\S$/.test(text);
    if (!continuesWord || this.#earlier.length === 0) this.#earlier.push(this.#draft);
    if (this.#earlier.length > MAX_EARLIER) this.#earlier.shift();
  }

  #submit(): InputAction {
    const shown = this.#draft.text;
    const text = this.takeDraft();
    this.#earlier = [];
    if (this.#vim) this.#vim = { ...this.#vim, mode: 'insert' };
    return { kind: 'submit', text, shown };
  }

  #recalled(text: string | undefined): undefined {
    if (text !== undefined) this.draft = draftOf(text);
  }

  #searchKey(search: Search, key: Key): InputAction | undefined {
    const searched = searchKey(search, key);
    const match = this.#match();
    this.#search = searched.kind === 'search' ? searched.search : undefined;
    if (searched.kind !== 'take' || match === undefined) return undefined;
    this.draft = draftOf(match);
    return searched.submit ? this.#submit() : undefined;
  }

  #match(): string | undefined {
    return this.#search && found(this.#search, this.#setup.recall.newestFirst);
  }
}
