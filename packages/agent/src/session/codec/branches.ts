/**
 * The conversation in a file that another tool wrote. Such a file is a tree: each message names its parent, and a message that was
 * edited, rewound or cleared away leaves a branch behind. The conversation is the path from the last message to the root.
 */
import { isRecord } from '@heddle/core';
import { isText, type LogLine } from './shapes.ts';

/** A line that takes part in the tree, with what is needed to find its relatives. */
interface Node {
  readonly uuid: string;
  readonly parent: string | null;
  readonly type: string;
  /** Lines of one response share it. */
  readonly responseId: string | undefined;
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** Lines of branches that were left are dropped; lines outside the tree stay. `lines` are parsed lines in the order of the file. */
export function withoutOldBranches<T>(
  lines: readonly T[],
  parsed: (line: T) => LogLine | undefined,
): readonly T[] {
  const nodes = lines.map((line) => nodeOf(parsed(line)));
  const kept = activeNodes(nodes.filter((node) => node !== undefined));
  return lines.filter((_line, index) => {
    const node = nodes[index];
    return node === undefined || kept.has(node.uuid);
  });
}

function activeNodes(nodes: readonly Node[]): ReadonlySet<string> {
  const places = new Map(nodes.map((node, index) => [node.uuid, index]));
  const kept = new Set<string>();
  let at = nodes.findLastIndex(({ type }) => type === 'user' || type === 'assistant');
  while (at >= 0) {
    const node = nodes[at];
    if (!node || kept.has(node.uuid)) break;
    kept.add(node.uuid);
    if (node.parent === null) break;
    // A parent that is missing was lost with a damaged line: the line before is the best guess, and loses nothing.
    at = places.get(node.parent) ?? at - 1;
  }
  for (const uuid of relativesOf(nodes, kept)) kept.add(uuid);
  return kept;
}

/**
 * Calls that run side by side make branches of their own: the parts of one response, and each result below its call. They
 * belong to the conversation although the path to the root passes only one of them.
 */
function relativesOf(nodes: readonly Node[], kept: ReadonlySet<string>): string[] {
  const onPath = nodes.filter(({ uuid }) => kept.has(uuid));
  const responses = new Set(onPath.flatMap(({ responseId }) => responseId ?? []));
  const parts = nodes.filter(({ responseId }) => responseId !== undefined && responses.has(responseId));
  const answered = new Set(onPath.flatMap(({ results }) => results));
  const open = new Set(parts.flatMap(({ calls }) => calls).filter((id) => !answered.has(id)));
  const results = nodes.filter((node) => node.results.some((id) => open.has(id)));
  return [...parts, ...results].map(({ uuid }) => uuid);
}

function nodeOf(line: LogLine | undefined): Node | undefined {
  if (!line || !isText(line['uuid']) || !isText(line['type']) || line['isSidechain'] === true)
    return undefined;
  if (line['parentUuid'] === undefined) return undefined;
  const message = isRecord(line['message']) ? line['message'] : {};
  const blocks = Array.isArray(message['content']) ? message['content'].filter(isRecord) : [];
  const ids = (type: string, field: string): string[] =>
    blocks.flatMap((block) => (block['type'] === type && isText(block[field]) ? [block[field]] : []));
  return {
    uuid: line['uuid'],
    parent: isText(line['parentUuid']) ? line['parentUuid'] : null,
    type: line['type'],
    responseId: line['type'] === 'assistant' && isText(message['id']) ? message['id'] : undefined,
    calls: ids('tool_use', 'id'),
    results: ids('tool_result', 'tool_use_id'),
  };
}

/** The objects of a line. Two processes that append at once may put two on one line. */
export function objectsIn(text: string): readonly string[] {
  const objects: string[] = [];
  let start = 0;
  for (let at = text.indexOf('}{', start); at >= 0; at = text.indexOf('}{', at + 1)) {
    const object = text.slice(start, at + 1);
    if (!isJson(object)) continue;
    objects.push(object);
    start = at + 1;
  }
  return [...objects, text.slice(start)];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
