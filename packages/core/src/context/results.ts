/** Levels 1 and 3 with what they must remember: which results were held against their budget, which were replaced. */
import type { ToolResultBlock } from '../messages/blocks.ts';
import { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { ToolUseContext } from '../tools/context.ts';
import type { ContextDoors } from './outside.ts';
import { type LevelResult, untouched } from './level.ts';
import { microcompact } from './levels/microcompact.ts';
import { oversized, spillResults } from './levels/result-budget.ts';
import type { ContextOptions } from './options.ts';
import type { Outline } from './reading/outline.ts';

/** Characters that a result may have whose tool is not known. */
const USUAL_LIMIT = 100_000;

export class Results {
  readonly #options: ContextOptions;
  readonly #doors: Pick<ContextDoors, 'spills' | 'now'>;
  /** Rounds of this history whose results were looked at: the last may still have been growing. */
  #lookedAt = 0;
  #source = History.of<Message>([]);
  readonly #decided = new Map<string, ToolResultBlock>();
  /** The round in which microcompact last replaced something; so far back that the first time is not put off. */
  #replacedIn = Number.NEGATIVE_INFINITY;

  constructor(options: ContextOptions, doors: Pick<ContextDoors, 'spills' | 'now'>) {
    this.#options = options;
    this.#doors = doors;
  }

  async budget(messages: History<Message>, outline: Outline, context: ToolUseContext): Promise<LevelResult> {
    if (!this.#options.levels.resultBudget) return untouched(messages);
    const { resultBudget } = this.#options;
    const limits = new Map(context.tools.map((tool) => [tool.name, tool.maxResultSize]));
    const limitOf = (tool: string | undefined): number => limits.get(tool ?? '') ?? USUAL_LIMIT;
    const fromRound = messages.extends(this.#source) ? this.#lookedAt : 0;
    const spills = oversized(outline, { ...resultBudget, limitOf }, fromRound);
    const stored = new Map<string, string | undefined>();
    for (const { toolUseId, text } of spills) {
      const isStored = await this.#doors.spills.write(toolUseId, text);
      stored.set(toolUseId, isStored ? this.#doors.spills.pathOf(toolUseId) : undefined);
    }
    const result = spillResults(messages, stored, resultBudget);
    this.#lookedAt = outline.rounds.length - 1;
    this.#source = result.messages;
    return result;
  }

  microcompact(
    messages: History<Message>,
    outline: Outline,
    about: {
      readonly tokens: number;
      readonly over: number;
      readonly isCompactable: (tool: string) => boolean;
    },
  ): LevelResult {
    const { levels, microcompact: options } = this.#options;
    if (!levels.microcompact || levels.cachedMicrocompact) return untouched(messages);
    const round = outline.rounds.length;
    const result = microcompact(messages, outline, {
      ...about,
      options,
      decided: this.#decided,
      roundsSince: round - this.#replacedIn,
      isCold: this.#isCold(messages, options.coldAfterMs),
    });
    for (const [id, note] of result.decided) this.#decided.set(id, note);
    if (result.report) this.#replacedIn = round;
    return result;
  }

  /** A compaction counts rounds anew. */
  forgetRounds(): void {
    this.#replacedIn = Number.NEGATIVE_INFINITY;
    this.#lookedAt = 0;
  }

  #isCold(messages: History<Message>, after: number): boolean {
    // The newest message is what was just typed; the one before tells when the model was last asked.
    const last = messages.at(messages.length - 2)?.at;
    return last !== undefined && this.#doors.now() - last > after;
  }
}
