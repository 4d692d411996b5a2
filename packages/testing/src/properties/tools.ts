/** The planned tools: each call meets the fate that the plan wrote beside it. */
import type { CanUseTool, JsonObject, Tool, ToolHooks, ToolResult, ToolUseContext } from '@heddle/core';
import { stopWord } from '../deps/hooks.ts';
import { type CallFate, callId, type RunPlan, TOOL_TRAITS, type ToolName, type ToolTraits } from './plan.ts';
import type { World } from './world.ts';

export type Fates = ReadonlyMap<string, CallFate>;

export function fatesOf({ attempts }: RunPlan): Fates {
  const fates = new Map<string, CallFate>();
  for (const [at, { blocks }] of attempts.entries()) {
    for (const [index, block] of blocks.entries()) {
      if (block.kind === 'call') fates.set(callId(at + 1, index), block.fate);
    }
  }
  return fates;
}

export function plannedTools(fates: Fates, world: World): readonly Tool[] {
  return Object.entries(TOOL_TRAITS).map(([name, traits]) => plannedTool(name, traits, fates, world));
}

const writes = (input: JsonObject): boolean => input['writes'] === true;
const isReadOnly = (traits: ToolTraits, input: JsonObject): boolean => traits.readOnly && !writes(input);
const isSafe = (traits: ToolTraits, input: JsonObject): boolean => traits.safe && !writes(input);

/** May a call with this input start before the answer is complete? By the plan's own reading. */
export function mayStartEarly(tool: string, input: JsonObject): boolean {
  const traits = TOOL_TRAITS[tool as ToolName] as ToolTraits | undefined;
  return traits !== undefined && isReadOnly(traits, input) && isSafe(traits, input);
}

function plannedTool(
  name: string,
  traits: ToolTraits,
  fates: Fates,
  world: World,
): Tool<JsonObject, ToolResult> {
  return {
    name,
    description: `The planned tool ${name}`,
    inputJSONSchema: { type: 'object' },
    inputSchema: () => ({
      safeParse: (value) => {
        const input = isObject(value) ? value : {};
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
      const fate = fates.get(id) ?? EASY;
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

async function describeIntent(world: World): Promise<JsonObject> {
  await world.wait(0);
  return { before: 'hash' };
}

function noteSignal(signal: AbortSignal, fate: CallFate, traits: ToolTraits, world: World): void {
  if (!signal.aborted) {
    const interrupted = world.controller.signal.aborted && traits.interruptBehavior === 'block';
    if (interrupted) world.hit('call: outlives an interrupt');
    return;
  }
  world.hit(fate.deaf ? 'call: ignores abort' : 'call: aborted');
  if (signal.reason === 'sibling failed') world.hit('call: sibling cancelled');
}

function resultOf(name: string, fate: CallFate): ToolResult {
  return fate.ends === 'fails'
    ? { content: `${name} failed`, isError: true }
    : { content: `${name} is done` };
}

function contextChange(fate: CallFate, world: World): { newContext?: ChangeContext } {
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

export function plannedHooks(fates: Fates, world: World): ToolHooks {
  return {
    async before({ toolUseId: id, input }, signal) {
      const { does, waitMs } = (fates.get(id) ?? EASY).before;
      world.note({ what: 'before_hook', id });
      await world.wait(waitMs, signal);
      switch (does) {
        case 'pass':
          return {};
        case 'allow':
          return { decision: 'allow' };
        case 'deny':
          world.hit('before: deny');
          return { decision: 'deny', message: 'not today' };
        case 'updated_input':
          world.hit('before: updated input');
          return { updatedInput: { ...input, writes: true } };
        case 'context':
          world.hit('before: context');
          return { additionalContext: 'mind the gap' };
        case 'stop':
          world.hit('before: stop');
          return { stop: stopWord('enough') };
        case 'throws':
          world.hit('before: throws');
          throw new Error('the hook broke');
      }
    },
    async after({ toolUseId: id }, result, signal) {
      const { does, waitMs } = (fates.get(id) ?? EASY).after;
      await world.wait(waitMs, signal);
      switch (does) {
        case 'pass':
          return {};
        case 'context':
          world.hit('after: context');
          return { additionalContext: 'well done' };
        case 'updated_result':
          world.hit('after: updated result');
          return { updatedResult: { ...result, content: 'as a hook saw it' } };
        case 'stop':
          world.hit('after: stop');
          return { stop: stopWord('enough') };
        case 'throws':
          world.hit('after: throws');
          throw new Error('the hook broke');
      }
    },
    async afterFailure({ toolUseId: id }, _message, signal) {
      const { does, waitMs } = (fates.get(id) ?? EASY).after;
      await world.wait(waitMs, signal);
      return does === 'stop' ? { stop: stopWord('enough') } : {};
    },
  };
}

export function plannedPermission(fates: Fates, world: World): CanUseTool {
  return async (_tool, input, _context, { toolUseId: id, signal }) => {
    const { does, waitMs } = (fates.get(id) ?? EASY).permission;
    world.note({ what: 'question', id, signal });
    await world.wait(waitMs, signal);
    if (signal.aborted) world.hit('permission: question withdrawn');
    world.note({ what: 'question_end', id, interrupts: does === 'interrupt' && !signal.aborted });
    switch (does) {
      case 'allow':
        return { behavior: 'allow' };
      case 'deny':
        world.hit('permission: deny');
        return { behavior: 'deny', message: 'no' };
      case 'interrupt':
        world.hit('permission: deny and interrupt');
        return { behavior: 'deny', message: 'no, and stop', interrupt: true };
      case 'updated_input':
        world.hit('permission: updated input');
        return { behavior: 'allow', updatedInput: { ...input, writes: true } };
      case 'throws':
        world.hit('permission: throws');
        throw new Error('nobody knows');
    }
  };
}

const EASY: CallFate = {
  takesMs: 0,
  ends: 'returns',
  deaf: false,
  progress: 0,
  newContext: 'none',
  before: { waitMs: 0, does: 'pass' },
  permission: { waitMs: 0, does: 'allow' },
  after: { waitMs: 0, does: 'pass' },
};

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
