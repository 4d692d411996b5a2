/** Images and documents. A note replaces those that the API does not accept. */
import { isRecord } from '../../json.ts';
import {
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  type ResultContent,
  text,
  type TextBlock,
} from '../../messages/blocks.ts';
import { mediaNote } from '../texts.ts';
import { cleanJson, type Dict, isBlank, wellFormed } from './clean-json.ts';

/** Characters of base64. The API counts the encoded form. */
const MAX_IMAGE = 5 * 1024 * 1024;

const IMAGE_TYPES = new Set<unknown>(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

type Media = ImageBlock | DocumentBlock;
type Read<T> = { readonly source: T } | { readonly why: string };

export function isMedia(block: ContentBlock): block is Media {
  return block.type === 'image' || block.type === 'document';
}

/** Returns a medium that may be sent, or a note with the reason why it was left out. */
export function readMedia(value: Dict, repair: (what: string) => void): Media | TextBlock {
  const kind = value['type'] === 'image' ? 'image' : 'document';
  const source = isRecord(value['source']) ? value['source'] : {};
  const read = kind === 'image' ? readImage(source) : readDocument(source);
  if ('why' in read) {
    repair(`${kind === 'image' ? 'an image' : 'a document'} was replaced by a note: ${read.why}`);
    return text(mediaNote(kind, read.why));
  }
  return kind === 'image'
    ? { type: 'image', source: read.source }
    : { type: 'document', source: read.source, ...documentDetails(value) };
}

/** Applies `map` to every medium in the block, also inside a result. Returns the same block if nothing changed. */
export function mapMedia(block: ContentBlock, map: (media: Media) => Media | TextBlock): ContentBlock {
  if (isMedia(block)) return map(block);
  if (block.type !== 'tool_result' || typeof block.content === 'string') return block;
  let changed = false;
  const content = block.content.map((part): ResultContent => {
    const mapped = isMedia(part) ? map(part) : part;
    changed ||= mapped !== part;
    return mapped;
  });
  return changed ? { ...block, content } : block;
}

/** Works on content of unknown shape, before it was read into blocks. */
export function carriesMedia(content: unknown): boolean {
  if (!Array.isArray(content)) return false;
  return content.some(
    (block: unknown) =>
      isRecord(block) &&
      (block['type'] === 'image' ||
        block['type'] === 'document' ||
        (block['type'] === 'tool_result' && carriesMedia(block['content']))),
  );
}

/** The characters of base64 in a request. References count as 0. */
export function mediaSize(media: Media): number {
  return media.source.type === 'base64' ? media.source.data.length : 0;
}

function readImage(source: Dict): Read<ImageBlock['source']> {
  if (source['type'] !== 'base64') return readReference(source);
  const mediaType = source['media_type'];
  if (typeof mediaType !== 'string' || !IMAGE_TYPES.has(mediaType))
    return { why: 'its type is not supported' };
  return readBase64(mediaType, source['data'], MAX_IMAGE);
}

function readDocument(source: Dict): Read<DocumentBlock['source']> {
  if (source['type'] === 'base64') {
    if (source['media_type'] !== 'application/pdf') return { why: 'its type is not supported' };
    return readBase64('application/pdf', source['data'], LARGEST_DOCUMENT);
  }
  if (source['type'] !== 'text' && source['type'] !== 'content') return readReference(source);
  const written = source['type'] === 'text' ? writtenText(source['data']) : writtenParts(source['content']);
  return written !== undefined && isSource(written) ? { source: written } : { why: 'it was empty' };
}

function writtenText(data: unknown): object | undefined {
  if (typeof data !== 'string' || isBlank(data)) return undefined;
  return { type: 'text', media_type: 'text/plain', data: wellFormed(data) };
}

/** A document of blocks may contain images. Only its texts are kept. */
function writtenParts(content: unknown): object | undefined {
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => (isRecord(part) ? part['text'] : part));
  const kept = texts.filter((part) => typeof part === 'string' && !isBlank(part));
  if (kept.length === 0) return undefined;
  return { type: 'content', content: kept.map((part) => ({ type: 'text', text: cleanJson(part) })) };
}

/** The API has two document sources that the type `DocumentBlock` does not list. */
function isSource(source: object): source is DocumentBlock['source'] {
  return 'type' in source;
}

function readBase64(mediaType: string, data: unknown, limit: number): Read<ImageBlock['source']> {
  if (typeof data !== 'string') return { why: 'its data was missing' };
  if (data.length > limit) return { why: 'it was too large' };
  // Some encoders wrap lines, and the API refuses line breaks.
  const joined = data.includes('\n') ? data.replaceAll(/[\r\n]+/g, '') : data;
  if (joined.length % 4 !== 0 || !BASE64.test(joined)) return { why: 'its data was damaged' };
  return { source: { type: 'base64', media_type: mediaType, data: joined } };
}

function readReference(source: Dict): Read<ImageBlock['source']> {
  const { type, url, file_id: fileId } = source;
  if (type === 'url' && typeof url === 'string' && /^https?:\/\/\S+$/.test(url))
    return { source: { type: 'url', url: wellFormed(url) } };
  if (type === 'file' && typeof fileId === 'string' && !isBlank(fileId))
    return { source: { type: 'file', file_id: wellFormed(fileId) } };
  return { why: 'its source was not readable' };
}

function documentDetails(value: Dict): object {
  const details: Record<string, unknown> = {};
  for (const field of ['title', 'context']) {
    const detail = value[field];
    if (typeof detail === 'string' && !isBlank(detail)) details[field] = cleanJson(detail);
  }
  const citations = value['citations'];
  if (isRecord(citations) && typeof citations['enabled'] === 'boolean')
    details['citations'] = { enabled: citations['enabled'] };
  return details;
}
/**
 * Step 4: counts the oldest media that must be left out. A request may contain 100 media and 32 MB in all, a part of
 * which is reserved for text. Each removal rewrites the prefix and loses its cache, so it removes more than needed.
 * The count is computed from left to right, so it is the same for a growing history and for a loaded one.
 */
const MOST = { count: 100, size: 28 * 1024 * 1024 };
const AFTER_REMOVAL = { count: 80, size: 20 * 1024 * 1024 };

/** One document may use up the whole size of a request. */
const LARGEST_DOCUMENT = MOST.size;

interface Kept {
  /** The number of the oldest media that are left out. */
  readonly out: number;
  /** The characters of all other media. */
  readonly size: number;
}

export class MediaBudget {
  readonly #sizes: number[] = [];
  #kept: Kept = { out: 0, size: 0 };

  get count(): number {
    return this.#sizes.length;
  }

  add(sizes: readonly number[]): void {
    this.#kept = this.#after(sizes);
    for (const size of sizes) this.#sizes.push(size);
  }

  /** The number of the oldest media to leave out if these are added. */
  excess(next: readonly number[]): number {
    return this.#after(next).out;
  }

  #after(next: readonly number[]): Kept {
    let { out, size } = this.#kept;
    const sizeAt = (index: number): number => this.#sizes[index] ?? next[index - this.#sizes.length] ?? 0;
    for (const [index, added] of next.entries()) {
      size += added;
      const last = this.#sizes.length + index;
      if (last + 1 - out <= MOST.count && size <= MOST.size) continue;
      while (out < last && (last + 1 - out > AFTER_REMOVAL.count || size > AFTER_REMOVAL.size))
        size -= sizeAt(out++);
    }
    return { out, size };
  }
}
