/** Skill: loads the instructions of a skill into the conversation. Until then only its name and description are there. */
import { type CallContext, type Json, type Tool, toolError } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { SkillInput } from './schema.ts';

export interface SkillDeps {
  /** Undefined if there is no such skill. */
  readonly load: (
    name: string,
    words: string,
    context: CallContext,
    onProgress: (data: Json) => void,
  ) => Promise<{ readonly name: string; readonly text: string } | undefined>;
  /** The names of all skills that the model may use. */
  readonly names: () => readonly string[];
}

type SkillData =
  | { readonly found: true; readonly name: string; readonly text: string }
  | { readonly found: false; readonly name: string; readonly known: readonly string[] };

/** Whole skills stay in the conversation. A larger one is stored in a file. */
const MAX_RESULT = 100_000;

export function createSkillTool({ load, names }: SkillDeps): Tool<SkillInput, SkillData> {
  return {
    name: 'Skill',
    description:
      'Loads a skill: instructions for a kind of task, written by the user, the project or a plugin. Call it before you start such a task. The available skills are listed in the conversation.',
    inputJSONSchema: inputSchemas.Skill,
    inputSchema: async () => (await import('./schema.ts')).skillInput,
    inputAliases: { name: 'skill', command: 'skill', skill_name: 'skill', arguments: 'args' },
    // It changes nothing itself: commands in a skill need their own permission.
    isReadOnly: () => true,
    isConcurrencySafe: () => false,
    maxResultSize: MAX_RESULT,
    interruptBehavior: 'cancel',

    async call({ skill, args = '' }, context, onProgress) {
      const loaded = await load(skill, args, context, onProgress);
      if (loaded) return { data: { found: true, ...loaded } };
      return { data: { found: false, name: skill, known: names() } };
    },

    toResult(data) {
      if (data.found) return { content: data.text };
      const known = data.known.join(', ') || 'none';
      return {
        content: toolError(`There is no skill named ${data.name}. There are: ${known}.`),
        isError: true,
      };
    },
  };
}
