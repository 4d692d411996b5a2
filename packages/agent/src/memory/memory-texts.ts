/** The texts about memory for the model, and the reader of its answers. Pure. */
import { isJsonObject } from '@heddle/core';
import { isTopicName, type Topic, type TopicChange } from './memory-folder.ts';

/** The layer of the system prompt that explains the memory folder. */
export function memoryLayer(folder: string): string {
  return `# Memory
Facts from earlier sessions of this project are in ${folder}. MEMORY.md there is the index; its content at the start of this session is in the first message. Each line names a topic file. Read a topic file when it matters for the task. Memory can be out of date: check it against the files before you rely on it. After a turn, Heddle itself stores what is worth remembering, so do not write these files unless the user asks for it.`;
}

const SHAPE = `Answer with JSON alone, a list of objects: [{"file": "short-name.md", "description": "one line", "text": "the whole text of the file"}]. File names have lower-case letters, digits and hyphens. Answer [] if there is nothing.`;

/** The question after a turn. The conversation is before it. */
export function extractionQuestion(topics: readonly Topic[]): string {
  return `Decide what a later session in this project must know that the files of the project do not say: preferences and corrections of the user, decisions with their reasons, facts about the environment. Leave out what can be read in the project, what concerns only this task, and every secret.

These topics exist already. To change one, give its file name and its whole new text:
${listOf(topics)}

${SHAPE}`;
}

export const CONSOLIDATION_PROMPT = `You keep the memory of a coding agent in order. Merge topics that overlap, correct or remove what is out of date or contradicted, and shorten. Keep every preference of the user. Never invent a fact. Give only the topics that change; {"file": "name.md", "remove": true} removes one. ${SHAPE}`;

export const SELECTION_PROMPT =
  'You choose which stored notes help a coding agent with a prompt. Answer with a JSON list of at most five file names from the list, the most useful first. Choose only notes that clearly matter. Answer [] if none does.';

/** The question before a turn. */
export function selectionQuestion(prompt: string, topics: readonly Topic[]): string {
  return `Prompt:\n${prompt}\n\nNotes:\n${listOf(topics)}`;
}

function listOf(topics: readonly Topic[]): string {
  if (topics.length === 0) return '(none)';
  return topics.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
}

/** Reads a list of changes. Invalid items are left out. */
export function changesIn(answer: string): TopicChange[] {
  return listIn(answer).flatMap((item): TopicChange[] => {
    if (!isJsonObject(item)) return [];
    const { file, description, text, remove } = item;
    if (typeof file !== 'string' || !isTopicName(file)) return [];
    if (remove === true) return [{ name: file, description: '', text: undefined }];
    if (typeof text !== 'string' || text.trim() === '') return [];
    return [{ name: file, description: typeof description === 'string' ? description : '', text }];
  });
}

/** Reads a list of file names. */
export function namesIn(answer: string, most: number): string[] {
  const names = listIn(answer).filter(
    (item): item is string => typeof item === 'string' && isTopicName(item),
  );
  return names.slice(0, most);
}

/** Returns the first JSON list of a text: models like to put a sentence or a code fence around it. */
function listIn(text: string): readonly unknown[] {
  const start = text.indexOf('[');
  const end = text.lastIndexOf(']');
  if (start < 0 || end < start) return [];
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1));
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list;
  } catch {
    return [];
  }
}
