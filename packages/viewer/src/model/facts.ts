/**
 * `LogFact`: one line of a session log without its long texts. All views except the transcript are computed from
 * facts, in the page as well as in tests. A fact of a 100 kB line has about 200 bytes.
 */

/** The position of a fact: the number of its line from 0, and its time in milliseconds. */
interface FactPlace {
  readonly line: number;
  readonly at: number;
}

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Characters of a message, by the kinds that the window view shows. */
export interface ContentSize {
  readonly messages: number;
  readonly results: number;
}

export type FactPart =
  | { readonly kind: 'text' | 'thinking' | 'media' | 'other'; readonly size: number }
  | {
      readonly kind: 'call';
      readonly size: number;
      readonly id: string;
      readonly tool: string;
      /** One line that distinguishes the call from other calls of the tool. */
      readonly about: string;
    }
  | { readonly kind: 'result'; readonly size: number; readonly id: string; readonly isError: boolean };

export interface MessageFact extends FactPlace {
  readonly type: 'message';
  readonly role: 'user' | 'assistant' | 'system' | 'attachment';
  readonly uuid: string;
  /** `prompt`: a person wrote it. `results`: it answers calls. `notice`: the loop wrote it. */
  readonly kind: 'prompt' | 'results' | 'answer' | 'failure' | 'notice' | 'meta';
  /** The beginning of the text. */
  readonly label: string;
  readonly parts: readonly FactPart[];
  readonly model?: string;
  readonly responseId?: string;
  readonly subtype?: string;
  /** The answer lacks its end. */
  readonly incomplete?: true;
}

export interface AnswerFact extends FactPlace {
  readonly type: 'answer' | 'spent';
  readonly model: string;
  readonly responseId: string;
  readonly stopReason: string;
  readonly tokens: TokenCounts;
  readonly costUsd?: number;
  /** The time of the first record of the stream. Old logs lack it. */
  readonly firstAt?: number;
  /** Taken from a message, because other programs store the token counts there. Each block of an answer repeats them. */
  readonly isFromMessage?: true;
}

/** A request was sent. Old logs lack it. */
export interface RequestFact extends FactPlace {
  readonly type: 'request';
  readonly model: string;
  /** Characters of the request, by kind. */
  readonly sizes?: {
    readonly system: number;
    readonly tools: number;
    readonly messages: number;
    readonly results: number;
  };
  readonly window?: number;
  /** The number of tokens at which the history is compacted. */
  readonly threshold?: number;
}

export interface ContextFact extends FactPlace {
  readonly type: 'context';
  readonly level: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly rewrotePrefix: boolean;
  /** The reason of a failure. */
  readonly failed?: string;
  /** The size of the new history, if the level replaced the whole history. */
  readonly history?: ContentSize & { readonly count: number };
  /** The new sizes of single messages. */
  readonly replaced?: readonly (ContentSize & { readonly uuid: string })[];
}

export type LogFact =
  | (FactPlace & {
      readonly type: 'session';
      readonly cwd: string;
      readonly model: string;
      readonly systemChars: number;
      readonly forkedFrom?: string;
    })
  | MessageFact
  | AnswerFact
  | RequestFact
  | ContextFact
  | (FactPlace & {
      readonly type: 'retry';
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: string;
      readonly message: string;
    })
  | (FactPlace & { readonly type: 'tombstone'; readonly uuids: readonly string[] })
  | (FactPlace & {
      readonly type: 'intent';
      readonly id: string;
      readonly tool: string;
      readonly effect: string;
    })
  | (FactPlace & { readonly type: 'outcome'; readonly id: string; readonly isError: boolean })
  | (FactPlace & { readonly type: 'ask'; readonly id: string; readonly tool: string })
  | (FactPlace & { readonly type: 'ask_answer'; readonly id: string; readonly behavior: string })
  | (FactPlace & {
      readonly type: 'transition';
      readonly reason: string;
      /** The other fields of the transition, as text. */
      readonly details: string;
      readonly turnCount: number;
    })
  | (FactPlace & {
      readonly type: 'rewind';
      readonly to: string;
      readonly history?: ContentSize & { readonly count: number };
    })
  | (FactPlace & { readonly type: 'title'; readonly title: string })
  | (FactPlace & { readonly type: 'end'; readonly reason: string; readonly message: string })
  /** A line that could not be read. */
  | (FactPlace & { readonly type: 'damaged'; readonly size: number })
  /** A line of another tool, or of a later version. */
  | (FactPlace & { readonly type: 'foreign'; readonly size: number });

/** Facts of the lines `from` up to `next`. */
export interface FactPage {
  readonly facts: readonly LogFact[];
  /** The line from which the next page starts. */
  readonly next: number;
  /** True if the log has more lines now. */
  readonly more: boolean;
  /** The file does not end with a whole line: a process is writing, or a crash cut it. */
  readonly torn: boolean;
  /** Changes if the file was replaced. The page then starts again from line 0. */
  readonly version: number;
}

export const NO_TOKENS: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addTokens(left: TokenCounts, right: TokenCounts): TokenCounts {
  return {
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
  };
}

/** Keeps one fact for each answer: the stored one, or the last one from a message. */
export function withoutRepeatedAnswers(facts: readonly LogFact[]): readonly LogFact[] {
  if (!facts.some((fact) => fact.type === 'answer' && fact.isFromMessage)) return facts;
  const kept = new Map<string, AnswerFact>();
  for (const fact of facts) {
    if (fact.type !== 'answer') continue;
    const known = kept.get(fact.responseId);
    if (!known || known.isFromMessage) kept.set(fact.responseId, fact);
  }
  return facts.filter(
    (fact) => fact.type !== 'answer' || !fact.isFromMessage || kept.get(fact.responseId) === fact,
  );
}

/** The size of a request by the count of the server. */
export function requestTokens({ input, cacheRead, cacheWrite }: TokenCounts): number {
  return input + cacheRead + cacheWrite;
}
