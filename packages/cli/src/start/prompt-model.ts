/** The model and the effort that the header of a skill or a command names, for one turn. */
import type { Agent, AgentOptions } from '@heddle/agent';
import type { PromptFile, UseModel } from '@heddle/agent/extensions';
import { type Effort, EFFORTS, NO_USAGE, omitUndefined, type TurnModel } from '@heddle/core';
import type { AgentSetup } from './agent-options.ts';
import { type ModelOptions, modelSetup } from './model-options.ts';

export interface PromptModelSetup {
  readonly options: Pick<AgentSetup, 'stated'>;
  readonly agent: () => Agent;
  /** The options that the agent was created with. */
  readonly agentOptions: () => AgentOptions;
  readonly notify: (text: string) => void;
}

/** Changes the model and the effort for one prompt, as the header of its file says. */
export class PromptModel {
  readonly #current: AgentOptions;
  readonly #setup: PromptModelSetup;
  /** Undefined if the header names none that can be used. */
  chosen: TurnModel | undefined;

  /** `current`: the options of the session before the prompt. */
  constructor(current: AgentOptions, setup: PromptModelSetup) {
    this.#current = current;
    this.#setup = setup;
  }

  readonly use: UseModel = async (file) => {
    const { agent } = this.#setup;
    const { model: wanted, effort } = await readHeaderModel(file, this.#setup);
    if (wanted === undefined && effort === undefined) return () => undefined;
    const current = this.#current;
    agent().change({
      ...wanted,
      ...(effort === undefined ? {} : { requestOptions: { ...current.requestOptions, effort } }),
    });
    this.chosen = omitUndefined({ model: wanted?.modelName, effort });
    const { model, modelName, apiKeySource, loadPrice, loadFacts, context, requestOptions = {} } = current;
    const changedName = agent().modelName;
    return () => {
      // A model that the user or the host chose during the prompt stays.
      const isChosenSince = agent().modelName !== changedName;
      const earlier = { model, modelName, apiKeySource, loadPrice, loadFacts, context };
      agent().change({ ...(isChosenSince ? {} : earlier), requestOptions });
    };
  };
}

/** The choice of a skill that the model loads while a turn runs. */
export async function skillModel(file: PromptFile, setup: PromptModelSetup): Promise<TurnModel | undefined> {
  const { model, effort } = await readHeaderModel(file, setup);
  const isPriced = model === undefined || (await canBeBilled(model, setup));
  if (!isPriced)
    setup.notify(`/${file.name}: the price of ${model.modelName} is unknown, so a budget cannot be kept.`);
  const chosen = omitUndefined({ model: isPriced ? model?.modelName : undefined, effort });
  return Object.keys(chosen).length === 0 ? undefined : chosen;
}

/** A budget in dollars needs the price of each model. */
async function canBeBilled(
  { modelName, loadPrice }: ModelOptions,
  { agentOptions }: PromptModelSetup,
): Promise<boolean> {
  if (agentOptions().maxBudgetUsd === undefined) return true;
  const price = await loadPrice?.();
  return price?.(modelName, NO_USAGE) !== undefined;
}

interface HeaderModel {
  readonly model: ModelOptions | undefined;
  readonly effort: Effort | undefined;
}

/** Reports a value that cannot be used, and leaves it out. */
async function readHeaderModel(
  file: PromptFile,
  { options, notify }: PromptModelSetup,
): Promise<HeaderModel> {
  const effort = EFFORTS.find((known) => known === file.effort);
  const chosen = await modelOf(file, options.stated);
  if (chosen?.ok === false) notify(`/${file.name}: ${chosen.message}`);
  return { model: chosen?.ok === true ? chosen.options : undefined, effort };
}

/** Undefined if the file does not name a model. */
async function modelOf({ model }: PromptFile, stated: AgentSetup['stated']) {
  if (model === undefined || model === 'inherit') return undefined;
  const chosen = await modelSetup(model, stated === undefined ? {} : { stated });
  if (chosen.ok && chosen.options.apiKeySource === 'none' && chosen.options.modelName.startsWith('claude-'))
    return { ok: false as const, message: `there is no key for ${chosen.options.modelName}.` };
  return chosen;
}
