/**
 * Where the cache marks of a conversation go.
 *
 * At a mark the server stores the prefix that ends there. To find a stored prefix it looks at each mark and at the 20
 * blocks or so before it, and only prefixes that ended at a mark were ever stored. So what a request must do to read all
 * that the previous one wrote is to mark the same place again: then the distance is nought, however many blocks the turn
 * added. Marks between the two would not help: nothing was stored there, and the next request marks this one's end.
 *
 * The API allows four marks. One stands at the end of tools and system, one at the end of the conversation, one where the
 * previous request ended; the last one stands where the request before that ended. It is for the day when the previous
 * request was never processed (a broken connection, a refusal, a model that was overloaded): its end was not stored, and
 * from there the look-back does not reach over a turn of twelve calls.
 */
import { isRecord } from '../json.ts';
import type { ContentBlock } from '../messages/blocks.ts';
import type { CacheMark, Mark, SystemLayer, ToolSpec } from '../model/port.ts';
import { isBlank, wellFormed } from './normalize/clean-json.ts';
import type { RequestView } from './view.ts';

export const MAX_MARKS = 4;

/** Ends of earlier requests that are remembered, for when a rewrite makes the latest ones worthless. */
const REMEMBERED = 16;

export interface PlacedMark extends Mark {
  /** Where in the bytes of the messages (without marks) its block's closing brace stands. */
  readonly offset: number;
}

/** The API refuses marks on thinking; whether a block it alone knows can carry one is not known here. */
export function isMarkable(block: ContentBlock): boolean {
  switch (block.type) {
    case 'text':
    case 'image':
    case 'document':
    case 'tool_use':
    case 'tool_result':
      return true;
    default:
      return false;
  }
}

/** The ends of earlier requests that are still stored prefixes of this one, of which `common` bytes are unchanged. */
export function stillStored(ends: readonly PlacedMark[], common: number): readonly PlacedMark[] {
  return ends.filter((end) => end.offset < common);
}

export function chooseMarks(
  ends: readonly PlacedMark[],
  end: PlacedMark | undefined,
  room: number,
): readonly PlacedMark[] {
  const earlier = end === undefined ? ends : ends.filter((known) => known.offset < end.offset);
  const kept = earlier.slice(-(end === undefined ? room : room - 1));
  return end === undefined ? kept : [...kept, end];
}

export function remember(ends: readonly PlacedMark[], end: PlacedMark | undefined): readonly PlacedMark[] {
  if (end === undefined || ends.at(-1)?.offset === end.offset) return ends;
  return [...ends.filter((known) => known.offset < end.offset), end].slice(-REMEMBERED);
}

export interface Head {
  readonly system: readonly SystemLayer[];
  readonly tools: readonly ToolSpec[];
  readonly marks: 0 | 1;
  readonly repairs: readonly string[];
}

const MARK: CacheMark = { type: 'ephemeral' };
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

export function buildHead(view: RequestView): Head {
  const repairs: string[] = [];
  const layers = systemLayers(view);
  const specs = toolSpecs(view.tools, repairs);
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
  return { system, tools, marks: layers.length + specs.length === 0 ? 0 : 1, repairs };
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
function toolSpecs(tools: readonly ToolSpec[], repairs: string[]): readonly ToolSpec[] {
  const byName = new Map<string, ToolSpec>();
  for (const tool of tools) {
    if (!TOOL_NAME.test(tool.name))
      repairs.push(`the tool ${JSON.stringify(tool.name)} was left out: its name is refused`);
    else if (byName.has(tool.name)) repairs.push(`a second tool ${tool.name} was left out`);
    else byName.set(tool.name, specOf(tool));
  }
  return [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

function specOf({ name, description, input_schema: schema }: ToolSpec): ToolSpec {
  const isObject = isRecord(schema) && schema['type'] === 'object';
  return {
    name,
    description: wellFormed(description),
    input_schema: isObject ? schema : { ...schema, type: 'object' },
  };
}
