/** AskUserQuestion: asks for a choice that only the user can make. */
import type { Tool } from '@heddle/core';
import { Interrupted, waitOrInterrupt } from '../files/abort.ts';
import { inputSchemas } from '../generated/schemas.ts';
import type { AskUserQuestionInput } from './schema.ts';

type Question = AskUserQuestionInput['questions'][number];

export interface AskDeps {
  /** By question: the chosen labels, or the user's own text. Undefined if the user did not answer. */
  readonly askUser?:
    | ((
        questions: readonly Question[],
        signal: AbortSignal,
      ) => Promise<Readonly<Record<string, string>> | undefined>)
    | undefined;
}

export interface AskData {
  readonly questions: readonly Question[];
  readonly answers: Readonly<Record<string, string>> | undefined;
}

export function createAskTool({ askUser }: AskDeps = {}): Tool<AskUserQuestionInput, AskData> {
  return {
    name: 'AskUserQuestion',
    description:
      'Asks the user to choose, if you cannot continue without an answer. Put what you recommend first.',
    inputJSONSchema: inputSchemas.AskUserQuestion,
    inputSchema: async () => (await import('./schema.ts')).answeredInput,
    isReadOnly: () => true,
    // Runs only when the response is complete: a question that is retracted would only disturb the user.
    isConcurrencySafe: () => false,
    maxResultSize: 20_000,
    interruptBehavior: 'cancel',

    async call({ questions, answers }, { signal }) {
      if (answers) return { data: { questions, answers: spoken(answers) } };
      if (!askUser) throw new Error('There is no user to ask. Decide yourself, and state what you assumed.');
      return { data: { questions, answers: await answerText(askUser(questions, signal), signal) } };
    },

    toResult({ questions, answers }) {
      if (!answers) return { content: 'The user did not want to answer.' };
      const lines = questions.map(({ question }) => `${question}\n→ ${answers[question] ?? '(no answer)'}`);
      return { content: lines.join('\n') };
    },
  };
}

function spoken(answers: NonNullable<AskUserQuestionInput['answers']>): Record<string, string> {
  const entries = Object.entries(answers);
  return Object.fromEntries(entries.map(([question, answer]) => [question, [answer].flat().join(', ')]));
}

/** A user has no deadline. Only an abort ends the wait, even if the host ignores its signal. */
export function answerText<Value>(waiting: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return waitOrInterrupt(waiting, signal, new Interrupted('Interrupted before there was an answer.'));
}
