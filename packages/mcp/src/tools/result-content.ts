/** Results of servers as content for the model. Images are kept, other binary data goes to files, and text is made harmless. */
import { type ImageBlock, isRecord, type ResultContent, text } from '@heddle/core';
import { cleanLine, cleanText } from '../server-text.ts';

export interface ResultDeps {
  /** Checks and scales images. An image that a model cannot take becomes a note. */
  readonly admitImages: (
    content: readonly ResultContent[],
    signal: AbortSignal,
  ) => Promise<readonly ResultContent[]>;
  /** Stores binary data and returns the path of the file. */
  readonly storeFile: (data: Buffer, extension: string) => Promise<string>;
}

export interface ServerResult {
  readonly content: readonly ResultContent[];
  readonly isError: boolean;
}

/** Reads any value: a server may send anything. */
export async function readResult(
  result: unknown,
  server: string,
  deps: ResultDeps,
  signal: AbortSignal,
): Promise<ServerResult> {
  if (!isRecord(result))
    return { content: [text('The server gave a result without content.')], isError: true };
  const given: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const parts: ResultContent[] = [];
  for (const part of given) parts.push(...(await readPart(part, server, deps)));
  const { structuredContent } = result;
  // Servers repeat structured content as text for older clients.
  const hasText = parts.some((part) => part.type === 'text');
  if (structuredContent !== undefined && !hasText)
    parts.push(text(cleanText(JSON.stringify(structuredContent, undefined, 2))));
  if (parts.length === 0) parts.push(text('(The server gave an empty result.)'));
  const hasImages = parts.some((part) => part.type === 'image');
  return {
    content: hasImages ? await deps.admitImages(parts, signal) : parts,
    isError: result['isError'] === true,
  };
}

async function readPart(part: unknown, server: string, deps: ResultDeps): Promise<ResultContent[]> {
  if (!isRecord(part)) return [];
  switch (part['type']) {
    case 'text':
      return typeof part['text'] === 'string' && part['text'] !== '' ? [text(cleanText(part['text']))] : [];
    case 'image':
      return [await mediaPart(part['data'], part['mimeType'], deps)];
    case 'audio':
      return [await filePart('Audio', part['data'], part['mimeType'], deps)];
    case 'resource':
      return [await readContents(part['resource'], deps)];
    case 'resource_link':
      return [text(linkText(part, server))];
    default:
      return [text(`[Content of the unknown type ${cleanLine(String(part['type']), 40)} was left out.]`)];
  }
}

/** The contents of a resource: text, an image, or data for a file. */
export async function readContents(contents: unknown, deps: ResultDeps): Promise<ResultContent> {
  if (!isRecord(contents)) return text('[A resource without contents.]');
  const { uri, text: content, blob, mimeType } = contents;
  const name = cleanLine(String(uri), 500);
  if (typeof content === 'string') return text(`[Resource ${name}]\n${cleanText(content)}`);
  if (typeof mimeType === 'string' && IMAGE_TYPES.has(mimeType)) return mediaPart(blob, mimeType, deps);
  return filePart(`Resource ${name}`, blob, mimeType, deps);
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

async function mediaPart(data: unknown, mimeType: unknown, deps: ResultDeps): Promise<ResultContent> {
  if (typeof data !== 'string') return text('[An image without data was left out.]');
  if (typeof mimeType !== 'string' || !IMAGE_TYPES.has(mimeType))
    return filePart('Image', data, mimeType, deps);
  const image: ImageBlock = { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
  return image;
}

async function filePart(
  what: string,
  data: unknown,
  mimeType: unknown,
  { storeFile }: ResultDeps,
): Promise<ResultContent> {
  if (typeof data !== 'string') return text(`[${what} without data was left out.]`);
  const bytes = Buffer.from(data, 'base64');
  const type = typeof mimeType === 'string' ? cleanLine(mimeType, 80) : 'application/octet-stream';
  const file = await storeFile(bytes, extensionOf(type));
  return text(`[${what}, ${type}, ${bytes.length} bytes, stored in ${file}]`);
}

function extensionOf(mimeType: string): string {
  const [, subtype = 'bin'] = /^[\w-]+\/(?:x-)?([a-z0-9]{1,8})/i.exec(mimeType) ?? [];
  return subtype.toLowerCase();
}

function linkText({ uri, name, description }: Readonly<Record<string, unknown>>, server: string): string {
  const about = typeof description === 'string' ? `: ${cleanLine(description)}` : '';
  const title = typeof name === 'string' ? `${cleanLine(name)}, ` : '';
  return `[Resource of the server ${server}: ${title}${cleanLine(String(uri), 500)}${about}]`;
}

/** The text of a result, for an error message. */
export function textOf(content: readonly ResultContent[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${String(part.type)}]`)).join('\n');
}
