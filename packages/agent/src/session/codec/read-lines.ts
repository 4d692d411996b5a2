/** Reads a whole session file, line by line. Resuming reads only from the last boundary (`open/load.ts`). */
import { isRecord } from '@heddle/core';
import type { Blobs } from '../files/blobs.ts';
import { LineFile, wholeLength, wholeLines } from '../files/lines.ts';
import { decodeEntry, type Decoded, parseLine } from './decode.ts';
import { SESSION_START } from './encode.ts';
import { isStringValue, type LogLine } from './shapes.ts';

/** An unfinished last line counts as damaged. Throws if the file cannot be read at all. */
export function* decodedLines(path: string, blobs?: Blobs): Generator<Decoded> {
  const file = new LineFile(path);
  try {
    const bytes = file.read(0, file.size);
    const lines = isFromAnotherTool(bytes) ? conversationLines([...wholeLines(bytes)]) : wholeLines(bytes);
    for (const line of lines) yield* decodeLine(line, blobs);
    const torn = bytes.subarray(wholeLength(bytes));
    if (torn.length > 0) yield decodeEntry(torn.toString('utf8'), blobs);
  } finally {
    file.close();
  }
}

/** Heddle begins each of its own files with the session state. */
export function isFromAnotherTool(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, SESSION_START.length) !== SESSION_START;
}

/** Returns the lines of another tool's file without abandoned branches. */
export function conversationLines(lines: readonly string[]): readonly string[] {
  const objects = lines.flatMap((line) => (parseLine(line) ? [line] : objectsIn(line)));
  return withoutOldBranches(objects, parseLine);
}

/** Decodes a line, or each object if two processes wrote to the same line. */
export function decodeLine(line: string, blobs?: Blobs): readonly Decoded[] {
  const decoded = decodeEntry(line, blobs);
  if (decoded.kind !== 'damaged') return [decoded];
  const objects = objectsIn(line).map((object) => decodeEntry(object, blobs));
  return objects.length > 1 && objects.every(({ kind }) => kind !== 'damaged') ? objects : [decoded];
}

/*
 * A file that another tool wrote is a tree: each message names its parent. A message that was edited, rewound or cleared
 * leaves a branch behind. The conversation is the path from the last message to the root.
 */

/** A line of the tree, with the facts to find its relatives. */
interface Node {
  readonly uuid: string;
  readonly parent: string | null;
  readonly type: string;
  /** Lines of one response share this id. */
  readonly responseId: string | undefined;
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** Drops the lines of abandoned branches. Lines outside the tree stay. `lines` are in the order of the file. */
function withoutOldBranches<T>(lines: readonly T[], parsed: (line: T) => LogLine | undefined): readonly T[] {
  const nodes = lines.map((line) => nodeOf(parsed(line)));
  // A tool may write the same message again. Only its first line counts.
  const firstNodes = new Map<string, Node>();
  for (const node of nodes) if (node && !firstNodes.has(node.uuid)) firstNodes.set(node.uuid, node);
  const kept = activeNodes([...firstNodes.values()]);
  return lines.filter((_line, index) => {
    const node = nodes[index];
    return node === undefined || (kept.has(node.uuid) && firstNodes.get(node.uuid) === node);
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
    // A missing parent was on a damaged line. The previous line is the best guess, and loses nothing.
    at = places.get(node.parent) ?? at - 1;
  }
  for (const uuid of relativesOf(nodes, kept)) kept.add(uuid);
  return kept;
}

/**
 * Parallel calls make separate branches: the parts of one response, and each result below its call. They belong to the
 * conversation although the path to the root contains only one of them.
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
  if (!line || !isStringValue(line['uuid']) || !isStringValue(line['type']) || line['isSidechain'] === true)
    return undefined;
  if (line['parentUuid'] === undefined) return undefined;
  const message = isRecord(line['message']) ? line['message'] : {};
  const blocks = Array.isArray(message['content']) ? message['content'].filter(isRecord) : [];
  const ids = (type: string, field: string): string[] =>
    blocks.flatMap((block) => (block['type'] === type && isStringValue(block[field]) ? [block[field]] : []));
  return {
    uuid: line['uuid'],
    parent: isStringValue(line['parentUuid']) ? line['parentUuid'] : null,
    type: line['type'],
    responseId: line['type'] === 'assistant' && isStringValue(message['id']) ? message['id'] : undefined,
    calls: ids('tool_use', 'id'),
    results: ids('tool_result', 'tool_use_id'),
  };
}

/** Returns the objects of a line. Two processes that append at once may write two on one line. */
function objectsIn(text: string): readonly string[] {
  const objects: string[] = [];
  let start = 0;
  for (let at = text.indexOf('}{', start); at >= 0; at = text.indexOf('}{', at + 1)) {
    const object = text.slice(start, at + 1);
    if (!parseLine(object)) continue;
    objects.push(object);
    start = at + 1;
  }
  return [...objects, text.slice(start)];
}
