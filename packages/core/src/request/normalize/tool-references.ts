/**
 * Results that refer to loaded tools. The API keeps a tool with `defer_loading` out of the cached prefix, and shows its
 * definition to the model where a result refers to it. So a tool can be loaded without rewriting the prefix.
 *
 * The definition comes from the log and not from the tool. A tool that changes or disappears then changes no earlier byte.
 */
import {
  text,
  type ResultContent,
  type ToolReferenceBlock,
  type ToolResultBlock,
} from '../../messages/blocks.ts';
import type { ToolSpec } from '../../model/port.ts';

interface RenderedResults {
  readonly results: readonly ToolResultBlock[];
  /** The tools that a result refers to. */
  readonly loadedBy: ReadonlyMap<ToolResultBlock, readonly ToolSpec[]>;
}

/** Renders the references in results: as blocks if the API accepts them, otherwise as text. */
export function renderReferences(
  results: readonly ToolResultBlock[],
  referencesTools: boolean,
): RenderedResults {
  const loadedBy = new Map<ToolResultBlock, readonly ToolSpec[]>();
  const rendered = results.map((result) => {
    const { content } = result;
    if (typeof content === 'string' || !content.some(isReference)) return result;
    const loaded = referencesTools ? specsIn(content) : [];
    const blocks = loaded.length === 0 ? asText(content) : loaded.map(referenceTo);
    const block: ToolResultBlock = { ...result, content: blocks };
    loadedBy.set(block, loaded);
    return block;
  });
  return { results: rendered, loadedBy };
}

/** Adds loaded tools to those of earlier results. A tool keeps its place, and the newest definition counts. */
export function withLoaded(earlier: readonly ToolSpec[], loaded: readonly ToolSpec[]): readonly ToolSpec[] {
  if (loaded.length === 0) return earlier;
  const byName = new Map(earlier.map((spec) => [spec.name, spec]));
  for (const spec of loaded) byName.set(spec.name, spec);
  return [...byName.values()];
}

function isReference(block: ResultContent): block is ToolReferenceBlock {
  return block.type === 'tool_reference';
}

/** A result of another program has no definitions. */
function specsIn(content: readonly ResultContent[]): readonly ToolSpec[] {
  return content.filter(isReference).flatMap(({ tool_name: name, definition }): ToolSpec[] => {
    if (definition === undefined) return [];
    return [{ name, ...definition, defer_loading: true }];
  });
}

function referenceTo({ name }: ToolSpec): ToolReferenceBlock {
  return { type: 'tool_reference', tool_name: name };
}

/** Returns one text with all definitions, and the other blocks behind it. */
function asText(content: readonly ResultContent[]): readonly ResultContent[] {
  const parts = content.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    return isReference(block) ? [definitionText(block)] : [];
  });
  const others = content.filter((block) => block.type !== 'text' && !isReference(block));
  return [text(parts.join('\n\n')), ...others];
}

function definitionText({ tool_name: name, definition }: ToolReferenceBlock): string {
  if (definition === undefined) return `${name} was loaded.`;
  return `${name}: ${definition.description}\n${JSON.stringify(definition.input_schema)}`;
}
