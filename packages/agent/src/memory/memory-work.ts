/** The work with memory beside a conversation: extraction after a turn, choice of relevant topics, consolidation. */
import type { Attachment } from '@heddle/core';
import path from 'node:path';
import type { Fork } from '../fork/fork.ts';
import { isJsonObject } from '@heddle/core';
import type { MemoryFolder } from './memory-folder.ts';
import {
  changesIn,
  CONSOLIDATION_PROMPT,
  extractionQuestion,
  namesIn,
  SELECTION_PROMPT,
  selectionQuestion,
} from './memory-texts.ts';

const EXTRACTION_TOKENS = 4_000;
const SELECTION_TOKENS = 200;
const CONSOLIDATION_TOKENS = 8_000;
const MOST_SELECTED = 5;
/** The choice needs the beginning of a long prompt only. */
const PROMPT_CHARACTERS = 4_000;
/** All topics that one consolidation reads, in characters. */
const CONSOLIDATION_CHARACTERS = 100_000;

/** Asks a fork of the conversation what to remember, and stores it. Returns the names of the written topics. */
export async function extractMemories(
  folder: MemoryFolder,
  fork: Fork,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const question = extractionQuestion(folder.topics());
  const answer = await fork.ask({ question, maxTokens: EXTRACTION_TOKENS, signal });
  const changes = answer.ok ? changesIn(answer.text) : [];
  if (changes.length === 0 || signal.aborted) return [];
  return (await folder.exclusively(async () => folder.write(changes))) ?? [];
}

/** Asks the small model which topics matter for a prompt. `known` are those that the conversation contains already. */
export async function selectMemories(
  folder: MemoryFolder,
  fork: Fork,
  { prompt, known, signal }: { prompt: string; known: ReadonlySet<string>; signal: AbortSignal },
): Promise<readonly Attachment[]> {
  const topics = folder.topics().filter(({ name }) => !known.has(path.join(folder.path, name)));
  if (topics.length === 0) return [];
  const question = selectionQuestion(prompt.slice(0, PROMPT_CHARACTERS), topics);
  const asked = { systemPrompt: SELECTION_PROMPT, question, maxTokens: SELECTION_TOKENS, signal };
  const answer = await fork.askSmall(asked);
  const offered = new Set(topics.map(({ name }) => name));
  const names = answer.ok ? namesIn(answer.text, MOST_SELECTED).filter((name) => offered.has(name)) : [];
  return names.flatMap((name): Attachment[] => {
    const text = folder.read(name);
    return text === undefined ? [] : [{ kind: 'memory', path: path.join(folder.path, name), text }];
  });
}

/** When a consolidation is due: so much time and so many sessions after the last one. */
export interface ConsolidationRhythm {
  readonly everyMs: number;
  readonly sessions: number;
}

export const CONSOLIDATION_RHYTHM: ConsolidationRhythm = { everyMs: 24 * 60 * 60 * 1_000, sessions: 5 };

interface ConsolidationState {
  readonly at: number;
  readonly sessions: readonly string[];
}

/** Counts the session, and merges and shortens the topics if that is due. Returns the names of changed topics. */
export async function consolidateMemories(
  folder: MemoryFolder,
  fork: Fork,
  about: { sessionId: string; now: number; rhythm: ConsolidationRhythm; signal: AbortSignal },
): Promise<readonly string[]> {
  const { sessionId, now, rhythm, signal } = about;
  if (folder.topics().length === 0) return [];
  const done = await folder.exclusively(async () => {
    const state = readState(folder) ?? { at: now, sessions: [] };
    const sessions = [...new Set([...state.sessions, sessionId])];
    const isDue = now - state.at >= rhythm.everyMs && sessions.length >= rhythm.sessions;
    if (!isDue) {
      if (sessions.length > state.sessions.length) writeState(folder, { ...state, sessions });
      return [];
    }
    const question = allTopics(folder);
    const asked = { systemPrompt: CONSOLIDATION_PROMPT, question, maxTokens: CONSOLIDATION_TOKENS, signal };
    const answer = await fork.askSmall(asked);
    if (!answer.ok || signal.aborted) return [];
    const changed = folder.write(changesIn(answer.text));
    writeState(folder, { at: now, sessions: [] });
    return changed;
  });
  return done ?? [];
}

function allTopics(folder: MemoryFolder): string {
  const texts = folder.topics().map(({ name }) => `## ${name}\n${folder.read(name) ?? ''}`);
  return texts.join('\n\n').slice(0, CONSOLIDATION_CHARACTERS);
}

function readState(folder: MemoryFolder): ConsolidationState | undefined {
  try {
    const value: unknown = JSON.parse(folder.readState() ?? '');
    if (!isJsonObject(value) || typeof value['at'] !== 'number' || !Array.isArray(value['sessions']))
      return undefined;
    return { at: value['at'], sessions: value['sessions'].filter((id) => typeof id === 'string') };
  } catch {
    return undefined;
  }
}

function writeState(folder: MemoryFolder, state: ConsolidationState): void {
  folder.writeState(JSON.stringify(state));
}
