/** Forms of servers, filled in by the user one field at a time, and requests to the model that need consent. */
import { describe, expect, it } from 'vitest';
import { elicitFromUser, sampleWithConsent } from './ask-for-servers.ts';

const signal = new AbortController().signal;

const schema = {
  type: 'object',
  properties: {
    color: { type: 'string', enum: ['red', 'blue'], description: 'a color' },
    count: { type: 'integer', default: 2 },
    fast: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
  },
  required: ['color'],
} as const;

/** Answers each question by the end of its text. */
function user(answers: Readonly<Record<string, string>>) {
  const seen: string[] = [];
  const elicit = elicitFromUser((questions) => {
    seen.push(
      ...questions.map(
        ({ question, options }) => `${question} [${options.map(({ label }) => label).join()}]`,
      ),
    );
    const given = questions.flatMap(({ question }) => {
      const [, answer] = Object.entries(answers).find(([text]) => question.includes(text)) ?? [];
      return answer === undefined ? [] : [[question, answer] as const];
    });
    return Promise.resolve(Object.fromEntries(given));
  });
  return { elicit, seen };
}

describe('a form of a server', () => {
  it('is asked field by field, and its values have the types of the schema', async () => {
    const { elicit, seen } = user({
      'Answer it?': 'Yes',
      'a color': 'blue',
      count: '3',
      fast: 'true',
      tags: 'a, b',
    });
    expect(await elicit({ server: 's', message: 'Choose.', schema }, signal)).toEqual({
      action: 'accept',
      content: { color: 'blue', count: 3, fast: true, tags: ['a', 'b'] },
    });
    expect(seen).toEqual([
      'Choose.\nAnswer it? [Yes,No]',
      'color: a color [red,blue]',
      'count (optional) [2]',
      'fast (optional) [true,false]',
      'tags (optional) [a,b]',
    ]);
  });

  it('is declined by the user', async () => {
    const { elicit } = user({ 'Answer it?': 'No' });
    expect(await elicit({ server: 's', message: 'Choose.', schema }, signal)).toEqual({ action: 'decline' });
  });

  it.each(['Yes', 'yes', 'YES', 'y'])(
    'is accepted by the word yes, also as one letter: %s',
    async (words) => {
      const { elicit } = user({ 'Answer it?': words });
      expect(await elicit({ server: 's', message: 'Continue.' }, signal)).toEqual({
        action: 'accept',
        content: {},
      });
    },
  );

  it.each(['Yes, but not my password', 'Yesterday it failed', 'Yes?', 'ye', ''])(
    'is declined by other words than yes: "%s"',
    async (words) => {
      const { elicit, seen } = user({ 'Answer it?': words });
      const answer = await elicit({ server: 's', message: 'Choose.', schema }, signal);
      expect(answer).toEqual({ action: 'decline' });
      expect(seen).toHaveLength(1);
    },
  );
});

describe('a request of a server to the model', () => {
  const question = {
    server: 's',
    messages: [{ role: 'user', text: 'Say hello.' }],
    maxTokens: 9_999_999,
  } as const;

  it('needs consent, and has a limited size', async () => {
    const sample = sampleWithConsent(
      user({ 'Answer it?': 'Yes' }).elicit,
      ({ question: text, maxTokens }) => Promise.resolve({ ok: true, text: `${text} ${maxTokens}` }),
      'small',
    );
    expect(await sample(question, signal)).toMatchObject({ model: 'small', text: 'Say hello. 4096' });
  });

  it('is refused without consent, and the model is not asked', async () => {
    const sample = sampleWithConsent(
      user({ 'Answer it?': 'No' }).elicit,
      () => Promise.reject(new Error('The model was asked.')),
      'small',
    );
    await expect(sample(question, signal)).rejects.toThrow(
      'The user did not allow the request to the model.',
    );
  });

  it('shows the instructions of the server, and that a long text is cut', async () => {
    const { elicit, seen } = user({ 'Answer it?': 'No' });
    const sample = sampleWithConsent(
      elicit,
      () => Promise.reject(new Error('The model was asked.')),
      'small',
    );
    const text = `${'a'.repeat(3_000)} the end`;
    const long = {
      ...question,
      systemPrompt: 'Obey the server.',
      messages: [{ role: 'user', text }],
    } as const;
    await expect(sample(long, signal)).rejects.toThrow('The user did not allow');
    expect(seen[0]).toContain('Obey the server.');
    expect(seen[0]).toMatch(/… \d+ more characters …[^]* the end/);
  });
});
