/** Questions of MCP servers to the user, and to the model with the user's consent. */
import type { ForkAnswer, SmallQuestion } from '@heddle/agent';
import { isRecord } from '@heddle/core';
import type { ClientServices, ElicitationQuestion, SamplingQuestion } from '@heddle/mcp';
import { readElicitation } from '@heddle/mcp';
import type { AskDeps } from '@heddle/tools';

type AskUser = NonNullable<AskDeps['askUser']>;
type Elicit = NonNullable<ClientServices['elicit']>;
type UserQuestion = Parameters<AskUser>[0][number];

/** Fills in the form of a server with one question for each field. */
export function elicitFromUser(askUser: AskUser): Elicit {
  return async (elicitation, signal) => {
    const consent = consentOf(elicitation);
    const first = await askUser([consent], signal);
    if (!first) return { action: 'cancel' };
    if (!CONSENT.test(first[consent.question] ?? '')) return { action: 'decline' };
    const fields = fieldsOf(elicitation);
    if (fields.length === 0) return { action: 'accept', content: {} };
    const answers = await askUser(
      fields.map(({ question }) => question),
      signal,
    );
    if (!answers) return { action: 'cancel' };
    const content = fields.flatMap(({ name, schema, question }): [string, unknown][] => {
      const answer = answers[question.question];
      return answer === undefined || answer === '' ? [] : [[name, valueOf(answer, schema)]];
    });
    return readElicitation({ action: 'accept', content: Object.fromEntries(content) });
  };
}

/** Matches the label of the choice, and the same word as the user types it. "Yes, but not my password" is not consent. */
const CONSENT = /^y(es)?$/i;

function consentOf({ server, message, url }: ElicitationQuestion): UserQuestion {
  const what = url === undefined ? 'Answer it?' : `Visit ${url} to continue. Done?`;
  return {
    header: `MCP server ${server}`,
    question: `${message}\n${what}`,
    options: [
      { label: 'Yes', description: 'continue' },
      { label: 'No', description: 'the server gets no answer' },
    ],
    multiSelect: false,
  };
}

interface FormField {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly question: UserQuestion;
}

function fieldsOf({ server, schema }: ElicitationQuestion): FormField[] {
  const properties: unknown = schema?.['properties'];
  const required: unknown = schema?.['required'];
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, field]): FormField[] => {
    if (!isRecord(field)) return [];
    const isRequired = Array.isArray(required) && required.includes(name);
    const { title = name, description, default: usual } = field;
    const about = typeof description === 'string' ? `: ${description}` : '';
    const question = `${String(title)}${about}${isRequired ? '' : ' (optional)'}`;
    const options = choicesOf(field, usual);
    return [
      {
        name,
        schema: field,
        question: { header: server, question, options, multiSelect: field['type'] === 'array' },
      },
    ];
  });
}

/** The values that a field may have. A field without a list is answered in the user's own words. */
function choicesOf(field: Readonly<Record<string, unknown>>, usual: unknown): UserQuestion['options'] {
  const items = isRecord(field['items']) ? field['items'] : field;
  const titled = [items['oneOf'], items['anyOf']].find((list): list is unknown[] => Array.isArray(list));
  const values: readonly unknown[] = titled
    ? titled.map((one) => (isRecord(one) ? one['const'] : undefined))
    : Array.isArray(items['enum'])
      ? items['enum']
      : field['type'] === 'boolean'
        ? [true, false]
        : usual === undefined
          ? []
          : [usual];
  return values.map((value) => ({
    label: String(value),
    description: value === usual ? 'the default' : 'a possible value',
  }));
}

function valueOf(answer: string, { type }: Readonly<Record<string, unknown>>): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      return Number(answer);
    case 'boolean':
      return /^(true|yes|y)$/i.test(answer);
    case 'array':
      return answer.split(/,\s*/);
    default:
      return answer;
  }
}

/** Answers a server with the small model, after the user agreed. */
export function sampleWithConsent(
  elicit: Elicit,
  ask: (question: SmallQuestion) => Promise<ForkAnswer>,
  model: string,
): NonNullable<ClientServices['sample']> {
  return async (sampling, signal) => {
    const { server, systemPrompt = DEFAULT_PROMPT, maxTokens } = sampling;
    const question = conversationOf(sampling);
    const asked = sampling.systemPrompt === undefined ? question : `${systemPrompt}\n\n${question}`;
    const message = `The server asks your model, at your cost:\n${showBothEnds(asked)}`;
    const { action } = await elicit({ server, message }, signal);
    if (action !== 'accept') throw new Error('The user did not allow the request to the model.');
    const limit = Math.min(maxTokens, MOST_TOKENS);
    const answer = await ask({ systemPrompt, question, maxTokens: limit, signal });
    if (!answer.ok) throw new Error(answer.message);
    return { model, text: answer.text, stopReason: 'endTurn' };
  };
}

/** Characters of a request that the user sees. */
const SHOWN = 2_000;
const MOST_TOKENS = 4_096;
const DEFAULT_PROMPT = 'A tool server asks you. Answer it.';

/** Returns the beginning and the end of a long text, and how much is between them. */
function showBothEnds(text: string): string {
  if (text.length <= SHOWN) return text;
  const half = SHOWN / 2;
  return `${text.slice(0, half)}\n… ${text.length - SHOWN} more characters …\n${text.slice(-half)}`;
}

/** The messages as one question. */
function conversationOf({ messages }: SamplingQuestion): string {
  if (messages.length === 1) return messages[0]?.text ?? '';
  return messages.map(({ role, text }) => `${role}: ${text}`).join('\n\n');
}
