/** What stands before the messages: tools, then system, with the one cache mark that covers both. */
import type { CacheMark, SystemLayer, ToolSpec } from '../model/port.ts';
import { isBlank, isDict, wellFormed } from './normalise/clean-json.ts';
import type { RequestView } from './view.ts';

export interface Head {
  readonly system: readonly SystemLayer[];
  readonly tools: readonly ToolSpec[];
  readonly marks: 0 | 1;
  readonly mends: readonly string[];
}

const MARK: CacheMark = { type: 'ephemeral' };
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

export function buildHead(view: RequestView): Head {
  const mends: string[] = [];
  const layers = systemLayers(view);
  const specs = toolSpecs(view.tools, mends);
  // Tools come before the system in what the server stores, so a mark on the last layer covers them, too.
  const marksTools = layers.length === 0;
  const system = layers.map(
    (layer, index): SystemLayer =>
      index === layers.length - 1
        ? { type: 'text', text: layer, cache_control: MARK }
        : { type: 'text', text: layer },
  );
  const tools = specs.map((spec, index) =>
    marksTools && index === specs.length - 1 ? { ...spec, cache_control: MARK } : spec,
  );
  return { system, tools, marks: layers.length + specs.length === 0 ? 0 : 1, mends };
}

/** Do two heads send the same? By identity where it can be, else by what they say. */
export function isSameHead(left: Head, right: Head): boolean {
  if (left === right) return true;
  return (
    left.system.length === right.system.length &&
    left.tools.length === right.tools.length &&
    left.system.every((layer, index) => layer.text === right.system[index]?.text) &&
    left.tools.every((tool, index) => isSameTool(tool, right.tools[index]))
  );
}

function isSameTool(left: ToolSpec, right: ToolSpec | undefined): boolean {
  return (
    left.name === right?.name &&
    left.description === right.description &&
    (left.input_schema === right.input_schema ||
      JSON.stringify(left.input_schema) === JSON.stringify(right.input_schema))
  );
}

function systemLayers(view: RequestView): readonly string[] {
  const context = Object.entries(view.systemContext).map(([key, value]) => `${key}: ${value}`);
  return [...view.systemPrompt, context.join('\n')].filter((layer) => !isBlank(layer)).map(wellFormed);
}

/** Sorted by name, so that the order in which servers and plugins came up does not cost the cache. */
function toolSpecs(tools: readonly ToolSpec[], mends: string[]): readonly ToolSpec[] {
  const byName = new Map<string, ToolSpec>();
  for (const tool of tools) {
    if (!TOOL_NAME.test(tool.name))
      mends.push(`the tool ${JSON.stringify(tool.name)} was left out: its name is refused`);
    else if (byName.has(tool.name)) mends.push(`a second tool ${tool.name} was left out`);
    else byName.set(tool.name, specOf(tool));
  }
  return [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

function specOf({ name, description, input_schema: schema }: ToolSpec): ToolSpec {
  const isObject = isDict(schema) && schema['type'] === 'object';
  return {
    name,
    description: wellFormed(description),
    input_schema: isObject ? schema : { ...schema, type: 'object' },
  };
}
