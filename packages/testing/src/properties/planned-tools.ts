/** The planned tools: each call has the outcome that the plan contains. */
import { isJsonObject, type JsonObject, type Tool, type ToolResult, type ToolUseContext } from '@heddle/core';
import { plannedOutcomeOf, type PlannedOutcomes } from './planned-outcomes.ts';
import { type CallOutcomePlan, TOOL_TRAITS, type ToolTraits } from './plan.ts';
import type { TestWorld } from './world.ts';

const TRAITS: ReadonlyMap<string, ToolTraits> = new Map(Object.entries(TOOL_TRAITS));

export function plannedTools(fates: PlannedOutcomes, world: TestWorld): readonly Tool[] {
  return [...TRAITS].map(([name, traits]) => plannedTool(name, traits, fates, world));
}

const writes = (input: JsonObject): boolean => input['writes'] === true;
const isReadOnly = (traits: ToolTraits, input: JsonObject): boolean => traits.readOnly && !writes(input);
const isSafe = (traits: ToolTraits, input: JsonObject): boolean => traits.safe && !writes(input);

/**
 * Returns true if a call with this input may start before the answer is complete, by the plan's own rules.
 */
export function mayStartEarly(tool: string, input: JsonObject): boolean {
  const traits = TRAITS.get(tool);
  return traits !== undefined && isReadOnly(traits, input) && isSafe(traits, input);
}

function plannedTool(
  name: string,
  traits: ToolTraits,
  fates: PlannedOutcomes,
  world: TestWorld,
): Tool<JsonObject, ToolResult> {
  return {
    name,
    description: `The planned tool ${name}`,
    inputJSONSchema: { type: 'object' },
    inputSchema: () => ({
      safeParse: (value) => {
        const input = isJsonObject(value) ? value : {};
        return input['reject'] === true
          ? { success: false, error: { message: 'rejected' } }
          : { success: true, data: input };
      },
    }),
    isReadOnly: (input) => isReadOnly(traits, input),
    isConcurrencySafe: (input) => isSafe(traits, input),
    isIdempotent: () => traits.idempotent ?? traits.readOnly,
    failureCancelsSiblings: traits.failureCancelsSiblings ?? false,
    maxResultSize: 100_000,
    interruptBehavior: traits.interruptBehavior ?? 'cancel',
    async validateInput(input) {
      await world.wait(0);
      return input['invalid'] === true ? { ok: false, message: 'makes no sense here' } : { ok: true };
    },
    ...(traits.describesIntent ? { describeIntent: () => describeIntent(world) } : {}),
    async call(input, context, onProgress) {
      const { signal, toolUseId: id } = context;
      const fate = plannedOutcomeOf(fates, id);
      const effect = {
        hasEffects: !isReadOnly(traits, input),
        alone: !isSafe(traits, input),
        deaf: fate.deaf,
      };
      world.note({ what: 'effect', id, tool: name, input, signal, ...effect });
      try {
        for (let count = 1; count <= fate.progress; count++) onProgress(`${count} of ${fate.progress}`);
        if (fate.progress > 0) world.hit('call: progress');
        await world.wait(fate.takesMs, fate.deaf ? undefined : signal);
        noteSignal(signal, fate, traits, world);
        if (signal.aborted && !fate.deaf) throw new Error('aborted');
        if (fate.ends === 'throws') throw new Error(`${name} broke`);
        return { data: resultOf(name, fate), ...contextChange(fate, world) };
      } finally {
        if (fate.ends !== 'returns') world.hit(`call: ${fate.ends}`);
        world.note({ what: 'effect_end', id });
      }
    },
    toResult: (data) => data,
  };
}

async function describeIntent(world: TestWorld): Promise<JsonObject> {
  await world.wait(0);
  return { before: 'hash' };
}

function noteSignal(signal: AbortSignal, fate: CallOutcomePlan, traits: ToolTraits, world: TestWorld): void {
  if (!signal.aborted) {
    const interrupted = world.controller.signal.aborted && traits.interruptBehavior === 'block';
    if (interrupted) world.hit('call: outlives an interrupt');
    return;
  }
  world.hit(fate.deaf ? 'call: ignores abort' : 'call: aborted');
  if (signal.reason === 'sibling failed') world.hit('call: sibling cancelled');
}

function resultOf(name: string, fate: CallOutcomePlan): ToolResult {
  return fate.ends === 'fails'
    ? { content: `${name} failed`, isError: true }
    : { content: `${name} is done` };
}

function contextChange(fate: CallOutcomePlan, world: TestWorld): { newContext?: ChangeContext } {
  switch (fate.newContext) {
    case 'none':
      return {};
    case 'directory':
      world.hit('call: new context');
      return {
        newContext: (current) => ({ ...current, workingDirectory: `${current.workingDirectory}/in` }),
      };
    case 'another_tool':
      world.hit('call: new tool in context');
      return { newContext: withAnotherTool };
    case 'throws':
      world.hit('call: new context throws');
      return {
        newContext() {
          throw new Error('no such context');
        },
      };
  }
}

type ChangeContext = (current: ToolUseContext) => ToolUseContext;

function withAnotherTool(current: ToolUseContext): ToolUseContext {
  const [first] = current.tools;
  if (first === undefined) return current;
  return { ...current, tools: [...current.tools, { ...first, name: `Extra${current.tools.length}` }] };
}
