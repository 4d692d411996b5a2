/** The history of prompts by folder, across sessions. It is stored in a file that only its owner can read. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { isLongPaste } from './long-paste.ts';

interface PromptHistory {
  /** The prompts of this folder, the oldest first. */
  readonly prompts: readonly string[];
  /** The long pastes in them, which stay data. */
  readonly pastes: readonly string[];
  /** `pasted`: the long pastes of this process. Those that the prompt contains are stored with it. */
  add(text: string, pasted?: readonly string[]): void;
}

/** The number of prompts, of all folders together, that are kept if the file is too large. */
const MAX_PROMPTS = 1_000;
const MAX_BYTES = 1_000_000;
/** Longer prompts are pastes, which are not stored. */
const MAX_PROMPT_LENGTH = 20_000;

export const NO_HISTORY: PromptHistory = { prompts: [], pastes: [], add: () => undefined };

/** Never fails: the conversation works without a history. */
export function openPromptHistory(configDir: string, folder: string): PromptHistory {
  const file = path.join(configDir, 'prompt-history.jsonl');
  const text = read(file);
  const lines = text.split('\n').flatMap((line) => lineOf(line) ?? []);
  if (text.length > MAX_BYTES) keepLast(file, lines);
  const own = lines.filter((line) => line.folder === folder);
  const earlier = [...new Set(own.flatMap(pastesIn))];
  return {
    prompts: own.map(({ prompt }) => prompt),
    pastes: earlier,
    add(prompt, pasted = []) {
      if (prompt.length > MAX_PROMPT_LENGTH) return;
      const pastes = [...earlier, ...pasted].filter((paste) => prompt.includes(paste.trim()));
      try {
        mkdirSync(configDir, { recursive: true, mode: 0o700 });
        appendFileSync(file, `${JSON.stringify({ folder, prompt, pastes })}\n`, { mode: 0o600 });
      } catch {
        // The disk is full, or the folder is not writable.
      }
    },
  };
}

interface Line {
  readonly folder: string;
  readonly prompt: string;
  /** Absent in files of earlier versions. */
  readonly pastes?: unknown;
}

/** A long prompt without a note about pastes may be one. */
function pastesIn({ prompt, pastes }: Line): readonly string[] {
  if (Array.isArray(pastes)) return pastes.filter((paste: unknown) => typeof paste === 'string');
  return isLongPaste(prompt) ? [prompt] : [];
}

function lineOf(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLine(value: unknown): value is Line {
  return isRecord(value) && typeof value['folder'] === 'string' && typeof value['prompt'] === 'string';
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function keepLast(file: string, lines: readonly Line[]): void {
  try {
    const fresh = `${file}.${process.pid}`;
    const kept = lines.slice(-MAX_PROMPTS).map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(fresh, kept.join(''), { mode: 0o600 });
    renameSync(fresh, file);
  } catch {
    // The file keeps its size.
  }
}

/** Steps through earlier prompts, the newest first, and back to the draft. */
export class Recall {
  readonly #prompts: string[];
  /** The number of steps back; 0 is the draft. */
  #back = 0;
  #draft = '';

  constructor(prompts: readonly string[] = []) {
    this.#prompts = [...prompts];
  }

  /** The prompts without duplicates. */
  get newestFirst(): readonly string[] {
    return [...new Set(this.#prompts.toReversed())];
  }

  /** Returns whether the prompt was sent from this folder. Blanks around it do not count. */
  has(prompt: string): boolean {
    return this.#prompts.some((known) => known.trim() === prompt.trim());
  }

  older(draft: string): string | undefined {
    const text = this.#prompts.at(-this.#back - 1);
    if (text === undefined) return undefined;
    if (this.#back === 0) this.#draft = draft;
    this.#back++;
    return text;
  }

  newer(): string | undefined {
    if (this.#back === 0) return undefined;
    this.#back--;
    return this.#back === 0 ? this.#draft : this.#prompts.at(-this.#back);
  }

  /** Returns to the draft, after a prompt was sent. */
  rest(): void {
    this.#back = 0;
  }

  add(prompt: string): void {
    if (this.#prompts.at(-1) !== prompt) this.#prompts.push(prompt);
  }
}
