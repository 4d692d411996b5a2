/**
 * The memory folder of a project: topic files with one fact or subject each, and `MEMORY.md`, an index with one line for each.
 * The index is part of every new session. Topics are read when they are relevant.
 */
import { errorCode } from '@heddle/core';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { takeLock } from '../session/files/lock.ts';

const INDEX = 'MEMORY.md';
const STATE = '.consolidation.json';
/** The ids of some 25,000 sessions. A larger file is not one of Heddle, and reading it would take memory and time. */
const STATE_BYTES = 1_000_000;
/** The part of the index that a session starts with. */
const INDEX_LINES = 200;
const INDEX_BYTES = 25_000;
/** Larger topics would not be read in full. */
const TOPIC_BYTES = 16_000;
const MOST_TOPICS = 200;
const DESCRIPTION_CHARACTERS = 150;
/** A plain name: a topic cannot lead to another folder, nor replace the index. */
const TOPIC_NAME = /^[a-z0-9][a-z0-9-]{0,63}\.md$/;

export interface Topic {
  readonly name: string;
  /** One line, for the index and for the choice of relevant topics. */
  readonly description: string;
}

export interface TopicChange extends Topic {
  /** The new text. Undefined removes the topic. */
  readonly text: string | undefined;
}

export function isTopicName(name: string): boolean {
  return TOPIC_NAME.test(name);
}

export class MemoryFolder {
  readonly path: string;

  constructor(folder: string) {
    this.path = folder;
  }

  /** Returns the beginning of the index, or undefined if there is none. */
  index(): string | undefined {
    const text = readRegular(path.join(this.path, INDEX), Number.POSITIVE_INFINITY);
    if (text === undefined || text.trim() === '') return undefined;
    const lines = text.split('\n').slice(0, INDEX_LINES).join('\n');
    return Buffer.from(lines).subarray(0, INDEX_BYTES).toString('utf8').trimEnd();
  }

  /** Returns the topics by name. The description is that of the index, or else the first line of the topic. */
  topics(): readonly Topic[] {
    const known = describedIn(this.index() ?? '');
    return this.#names().map((name) => ({
      name,
      description: known.get(name) ?? firstLine(this.read(name) ?? ''),
    }));
  }

  /** Returns the text of a topic. Undefined if it is missing, too large, or not a regular file. */
  read(name: string): string | undefined {
    return isTopicName(name) ? readRegular(path.join(this.path, name), TOPIC_BYTES) : undefined;
  }

  /**
   * Writes topics and the index. Each file is replaced as a whole, and a link is never followed.
   *
   * Contract: throws an error of the system if the folder cannot be written. Invalid and too large topics are left out.
   */
  write(changes: readonly TopicChange[]): readonly string[] {
    const usable = changes.filter(({ name, text = '' }) => isTopicName(name) && fits(text));
    if (usable.length === 0) return [];
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const topics = new Map(this.topics().map((topic) => [topic.name, topic.description]));
    const written: string[] = [];
    for (const { name, description, text } of usable) {
      if (text === undefined) rmSync(path.join(this.path, name), { force: true });
      else if (topics.has(name) || topics.size < MOST_TOPICS) this.#replace(name, text);
      else continue;
      written.push(name);
      if (text === undefined) topics.delete(name);
      else topics.set(name, oneLine(description));
    }
    const lines = [...topics].map(([name, description]) => `- [${name}](${name}): ${description}`);
    this.#replace(INDEX, `# Memory\n\n${lines.join('\n')}\n`);
    return written;
  }

  /** Returns the stored state of work with the folder. Undefined if there is none, or it is not a regular file. */
  readState(): string | undefined {
    return readRegular(path.join(this.path, STATE), STATE_BYTES);
  }

  writeState(text: string): void {
    this.#replace(STATE, text);
  }

  /** Runs the work while no other process writes this folder. Returns undefined if another one does. May throw as `takeLock`. */
  async exclusively<T>(work: () => Promise<T>): Promise<T | undefined> {
    const lock = takeLock(this.path);
    if (!lock.held) return undefined;
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.path).filter(isTopicName).sort().slice(0, MOST_TOPICS);
    } catch {
      return [];
    }
  }

  #replace(name: string, text: string): void {
    const draft = path.join(this.path, `.${name}.${process.pid}`);
    rmSync(draft, { force: true });
    // `wx` follows no link, and `rename` replaces a link itself.
    writeFileSync(draft, text.endsWith('\n') ? text : `${text}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path.join(this.path, name));
  }
}

export interface MemoryIndex {
  readonly file: string;
  readonly topics: readonly Topic[];
}

/** Returns the index of a folder with its topics, for a list. Undefined if there is no index. */
export function readMemoryIndex(folder: string): MemoryIndex | undefined {
  const memory = new MemoryFolder(folder);
  if (memory.index() === undefined) return undefined;
  return { file: path.join(folder, INDEX), topics: memory.topics() };
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= TOPIC_BYTES;
}

/** Undefined if the file is missing, larger than the limit, a link, or not a regular file. */
function readRegular(file: string, limit: number): string | undefined {
  try {
    const about = lstatSync(file);
    return about.isFile() && about.size <= limit ? readFileSync(file, 'utf8') : undefined;
  } catch (thrown) {
    if (errorCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}

function describedIn(index: string): ReadonlyMap<string, string> {
  const lines = index.matchAll(/^[-*] \[[^\]]*\]\(([^)]+)\)[:\s–-]*(.*)$/gm);
  return new Map(Array.from(lines, ([, name = '', description = '']) => [name, oneLine(description)]));
}

function firstLine(text: string): string {
  return oneLine(text.split('\n').find((line) => line.trim() !== '') ?? '');
}

function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replace(/^#+\s*/, '')
    .trim()
    .slice(0, DESCRIPTION_CHARACTERS);
}
