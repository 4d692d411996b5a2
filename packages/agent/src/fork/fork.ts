/**
 * Questions to a model beside the conversation. A fork shares the cached prefix of the conversation. A question to the small
 * model has a prompt of its own. Neither runs a tool or changes the conversation, and both are billed to the session.
 */
import {
  askAside,
  type CacheSafeParams,
  callsOf,
  type Clock,
  earlierRequests,
  History,
  type Message,
  type MessageHistory,
  type ModelPort,
  optionsFor,
  requestSpec,
  resultsOf,
  type SideAnswer,
  type Spent,
  type UserMessage,
} from '@heddle/core';

export interface ForkSetup {
  readonly model: () => ModelPort;
  readonly clock: Clock;
  readonly random: () => number;
  /** The conversation, as it is stored. */
  readonly messages: () => MessageHistory;
  /** The next request of the conversation, for a process that has not sent one yet. */
  readonly nextRequest: () => CacheSafeParams;
  /** The name of the small model. */
  readonly smallModel: () => string;
  /** Returns why nothing more may be spent on these models, or undefined. */
  readonly objection: (models: readonly string[]) => Promise<string | undefined>;
  /** Adds the cost to the session. */
  readonly bill: (spent: Spent) => Promise<void>;
}

export interface ForkQuestion {
  readonly question: string;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

export interface SmallQuestion extends ForkQuestion {
  readonly systemPrompt: string;
  /** Another model in place of the small one. */
  readonly model?: string | undefined;
}

export type ForkAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

export class Fork {
  readonly #setup: ForkSetup;
  #lastSent: CacheSafeParams | undefined;

  constructor(setup: ForkSetup) {
    this.#setup = setup;
  }

  /** Stores the parameters of a request of the conversation, as it is sent. */
  readonly saveSent = (params: CacheSafeParams): void => {
    this.#lastSent = params;
  };

  /**
   * Asks the model of the conversation. It reads the whole conversation so far, also while a turn runs.
   *
   * Contract: never throws. Calls of tools in the answer are not run.
   */
  async ask({ question, maxTokens, signal }: ForkQuestion): Promise<ForkAnswer> {
    const { spec, earlier, messages } = this.#origin();
    const objection = await this.#setup.objection([spec.model]);
    if (objection !== undefined) return { ok: false, message: objection };
    const { thinking } = spec.options;
    const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
    // Thinking counts against the same cap. Switching it off would lose the cached messages.
    const own = { ...spec, maxOutputTokens: maxTokens + budget };
    const send = (text: string): Promise<SideAnswer> =>
      askAside({ spec: own, earlier, messages: messages.append([hidden(text)]) }, this.#deps, signal);
    const first = await this.#billed(send(`${question}\n\n${NO_TOOLS}`));
    if (first.ok || first.calls === 0) return answerOf(first);
    return answerOf(await this.#billed(send(`${question}\n\n${REALLY_NO_TOOLS}`)));
  }

  /** The messages that a fork starts with. */
  conversation(): readonly Message[] {
    return [...this.#origin().messages];
  }

  /** Asks a question of the user, who does not want to disturb the work. */
  askForUser(question: string, signal: AbortSignal): Promise<ForkAnswer> {
    const text = `The user asks, without interrupting the work: ${question}`;
    return this.ask({ question: text, maxTokens: SIDE_QUESTION_TOKENS, signal });
  }

  /** Asks the small model. It reads only this question. */
  async askSmall(asked: SmallQuestion): Promise<ForkAnswer> {
    const { systemPrompt, question, maxTokens, signal, model = this.#setup.smallModel() } = asked;
    const objection = await this.#setup.objection([model]);
    if (objection !== undefined) return { ok: false, message: objection };
    const facts = this.#setup.model().factsOf?.(model);
    const spec = requestSpec({
      model,
      maxOutputTokens: maxTokens,
      systemPrompt: [systemPrompt],
      systemContext: {},
      userContext: {},
      tools: [],
      options: optionsFor(facts, { thinking: { type: 'disabled' } }),
    });
    const messages = History.of<Message>([hidden(question)]);
    return answerOf(await this.#billed(askAside({ spec, earlier: [], messages }, this.#deps, signal)));
  }

  get #deps(): { readonly model: ModelPort; readonly clock: Clock; readonly random: () => number } {
    const { model, clock, random } = this.#setup;
    return { model: model(), clock, random };
  }

  async #billed(asking: Promise<SideAnswer>): Promise<SideAnswer> {
    const answer = await asking;
    for (const spent of answer.spent) await this.#setup.bill(spent);
    return answer;
  }

  /** The last request as it was sent, and the messages since then. After a compaction or a resume: the next request. */
  #origin(): { spec: CacheSafeParams['spec']; earlier: readonly MessageHistory[]; messages: MessageHistory } {
    const sent = this.#lastSent;
    const since = sent && messagesSince(sent.sent, this.#setup.messages());
    if (sent && since) {
      // A copy: appending to the history of the run would make its next request start from a copy.
      const messages = History.of<Message>([...sent.sent, ...since]);
      return { spec: sent.spec, earlier: [...earlierRequests(messages), sent.sent], messages };
    }
    const next = this.#setup.nextRequest();
    return { spec: next.spec, earlier: earlierRequests(next.sent), messages: next.sent };
  }
}

/** A side question is answered in a few paragraphs. */
const SIDE_QUESTION_TOKENS = 4_096;

const NO_TOOLS =
  'This is a question beside the conversation. Answer it with text alone. Do not call a tool, and do not continue the work.';
const REALLY_NO_TOOLS =
  'This is a question beside the conversation, and no tool runs here. Answer with text from what the conversation already contains.';

function hidden(content: string): UserMessage {
  return { type: 'user', uuid: 'side-question', at: 0, content, isMeta: true };
}

function answerOf(answer: SideAnswer): ForkAnswer {
  return answer.ok ? { ok: true, text: answer.text } : { ok: false, message: answer.why };
}

/**
 * Returns the messages after those that were sent, without calls that have no result yet. Undefined if the conversation no
 * longer continues them: it was compacted or rewound.
 */
function messagesSince(sent: MessageHistory, stored: MessageHistory): readonly Message[] | undefined {
  const last = sent.last();
  if (last === undefined) return undefined;
  const all = stored.since(0);
  const at = all.findLastIndex(({ uuid }) => uuid === last.uuid);
  if (at < 0) return undefined;
  const since = all.slice(at + 1);
  const answered = new Set(
    since.flatMap((message) => resultsOf(message).map((result) => result.tool_use_id)),
  );
  return since.filter(
    (message) => message.type !== 'assistant' || callsOf([message]).every(({ id }) => answered.has(id)),
  );
}
