/**
 * Chooses the places of the cache marks in a request.
 *
 * At each mark the server stores the prefix that ends there. To find a stored prefix, it checks each mark and about 20
 * blocks before it. It stores only prefixes that end at a mark. A request therefore marks the end of the previous request
 * again, and reads all that was stored, however many blocks the turn added. Marks between the two ends would not help,
 * because no prefix was stored there.
 *
 * The API allows four marks:
 * - the end of tools and system
 * - the end of the conversation
 * - the end of the previous request
 * - the end of the request before that. It is needed if the server did not process the previous request (a broken
 *   connection, a refusal, an overloaded model). Its end was not stored, and a long turn is beyond the 20 blocks.
 */
import { isRecord, omitUndefined } from '../json.ts';
import type { ContentBlock } from '../messages/blocks.ts';
import type { CacheMark, Mark, SystemLayer, ToolSpec } from '../model/port.ts';
import { isBlank, wellFormed } from './normalize/clean-json.ts';
import type { RequestSpec } from './request-spec.ts';

export const MAX_MARKS = 4;

/** The number of remembered ends of earlier requests. A rewrite may invalidate the latest ones. */
const REMEMBERED = 16;

export interface PlacedMark extends Mark {
  /** The position of the block's closing brace in the bytes of the messages, without marks. */
  readonly offset: number;
}

/** The API refuses marks on thinking. Blocks of types unknown to Heddle are not marked, because it may refuse those too. */
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

/** Returns the ends of earlier requests within the first `common` bytes, which are unchanged. */
export function stillStored(ends: readonly PlacedMark[], common: number): readonly PlacedMark[] {
  return ends.filter((end) => end.offset < common);
}

export function chooseMarks(
  ends: readonly PlacedMark[],
  end: PlacedMark | undefined,
  available: number,
): readonly PlacedMark[] {
  const earlier = end === undefined ? ends : ends.filter((known) => known.offset < end.offset);
  const kept = earlier.slice(-(end === undefined ? available : available - 1));
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

/** `loaded` are the tools that results refer to. They follow the others, and the prefix does not contain them. */
export function buildHead(spec: RequestSpec, loaded: readonly ToolSpec[] = []): Head {
  const repairs: string[] = [];
  const layers = systemLayers(spec);
  const specs = toolSpecs(withoutLoaded(spec.tools, loaded), repairs);
  // The server stores tools before the system prompt, so a mark on the last layer also covers the tools.
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
  return {
    system,
    tools: [...tools, ...loaded.map(specOf)],
    marks: layers.length + specs.length === 0 ? 0 : 1,
    repairs,
  };
}

export function withoutLoaded(tools: readonly ToolSpec[], loaded: readonly ToolSpec[]): readonly ToolSpec[] {
  if (loaded.length === 0) return tools;
  const names = new Set(loaded.map(({ name }) => name));
  return tools.filter(({ name }) => !names.has(name));
}

/** Returns true if both requests begin with the same prefix. A loaded tool may be added, but must not change. */
export function isSameHead(left: Head, right: Head): boolean {
  if (left === right) return true;
  const [own, other] = [inPrefix(left), inPrefix(right)];
  const later = new Map(right.tools.filter(isLoaded).map((tool) => [tool.name, tool]));
  return (
    left.system.length === right.system.length &&
    own.length === other.length &&
    left.system.every((layer, index) => layer.text === right.system[index]?.text) &&
    own.every((tool, index) => isSameTool(tool, other[index])) &&
    left.tools.filter(isLoaded).every((tool) => isSameTool(tool, later.get(tool.name)))
  );
}

function inPrefix({ tools }: Head): readonly ToolSpec[] {
  return tools.filter((tool) => !isLoaded(tool));
}

function isLoaded(tool: ToolSpec): boolean {
  return tool.defer_loading === true;
}

function isSameTool(left: ToolSpec, right: ToolSpec | undefined): boolean {
  return (
    left.name === right?.name &&
    left.description === right.description &&
    (left.input_schema === right.input_schema ||
      JSON.stringify(left.input_schema) === JSON.stringify(right.input_schema))
  );
}

function systemLayers(spec: RequestSpec): readonly string[] {
  const context = Object.entries(spec.systemContext).map(([key, value]) => `${key}: ${value}`);
  return [...spec.systemPrompt, context.join('\n')].filter((layer) => !isBlank(layer)).map(wellFormed);
}

/** Sorts by name, so that the start order of servers and plugins does not change the cached prefix. */
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

function specOf({ name, description, input_schema: schema, defer_loading }: ToolSpec): ToolSpec {
  const isObject = isRecord(schema) && schema['type'] === 'object';
  return {
    name,
    description: wellFormed(description),
    input_schema: isObject ? schema : { ...schema, type: 'object' },
    ...omitUndefined({ defer_loading }),
  };
}
