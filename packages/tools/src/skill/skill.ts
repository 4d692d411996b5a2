/** Skill: loads the instructions of a skill into the conversation. Until then only its name and description are there. */
import {
  type CallContext,
  type Json,
  type RuleName,
  type Tool,
  toolError,
  type TurnModel,
  withTurnModel,
} from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { SkillInput } from './schema.ts';

interface SkillText {
  readonly name: string;
  readonly text: string;
  /** The model and the effort of its header. They apply from the next request until the turn ends. */
  readonly turnModel?: TurnModel | undefined;
}

export interface SkillDeps {
  /** Undefined if there is no such skill. */
  readonly load: (
    name: string,
    words: string,
    context: CallContext,
    onProgress: (data: Json) => void,
  ) => Promise<SkillText | undefined>;
  /** The names of a skill for permission rules, and the type of the agent that follows it. */
  readonly ruleNames: (name: string) => readonly RuleName[];
  /** The names of all skills that the model may use. */
  readonly names: () => readonly string[];
}

type SkillData =
  | { readonly found: true; readonly name: string; readonly text: string }
  | { readonly found: false; readonly name: string; readonly known: readonly string[] };

/** Whole skills stay in the conversation. A larger one is stored in a file. */
const MAX_RESULT = 100_000;

export function createSkillTool({ load, names, ruleNames }: SkillDeps): Tool<SkillInput, SkillData> {
  return {
    name: 'Skill',
    description:
      'Loads a skill: instructions for a kind of task, written by the user, the project or a plugin. Call it before you start such a task. The available skills are listed in the conversation.',
    inputJSONSchema: inputSchemas.Skill,
    inputSchema: async () => (await import('./schema.ts')).skillInput,
    inputAliases: { name: 'skill', command: 'skill', skill_name: 'skill', arguments: 'args' },
    ruleNames: ({ skill }) => ruleNames(skill),
    // It changes nothing itself: commands in a skill need their own permission.
    isReadOnly: () => true,
    isConcurrencySafe: () => false,
    maxResultSize: MAX_RESULT,
    interruptBehavior: 'cancel',

    async call({ skill, args = '' }, context, onProgress) {
      const loaded = await load(skill, args, context, onProgress);
      if (loaded) {
        const { turnModel, ...text } = loaded;
        const data = { found: true, ...text } as const;
        return turnModel ? { data, newContext: (current) => withTurnModel(current, turnModel) } : { data };
      }
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
