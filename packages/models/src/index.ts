/** The doors to models: which one a name means, and how it is reached. */
export { chooseModel, type Chosen, type ModelMaker } from './choose.ts';
export { type AnthropicPort, createAnthropicPort } from './anthropic/port.ts';
export type { AnthropicOptions } from './anthropic/options.ts';
