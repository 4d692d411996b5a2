/** `heddle` as a library: an agent in a few lines. */
import { type Chosen, chooseModel as choose } from '@heddle/models';
import { modelKinds } from './models/kinds.ts';

export { type Agent, type AgentOptions, createAgent } from '@heddle/agent';
export type { Chosen } from '@heddle/models';
export { builtinTools } from '@heddle/tools';
export {
  agent,
  AgentError,
  type LibraryAgent,
  type LibraryOptions,
  type LibraryPermissions,
  openSession,
  type PromptOptions,
  type SessionOptions,
} from './library/agent.ts';
export {
  type InputSchema,
  type RunContext,
  type RunOutput,
  tool,
  type ToolDefinition,
} from './library/tool.ts';

/** Every name that `--model` takes: `sonnet`, `PROVIDER/MODEL`, `rehearsal`, `scripted:FILE`, `replay:FILE`. */
export function chooseModel(name: string): Promise<Chosen> {
  return choose(name, modelKinds);
}
