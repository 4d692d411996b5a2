/** Checks images and documents: their types, data, size and number. */
import { isRecord } from '@heddle/core';
import { type Fields, isText, type PlacedBlock } from './json.ts';
import type { Report } from './rules.ts';

const IMAGE_TYPES = new Set<unknown>(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const DOCUMENT_TYPES = new Set<unknown>(['application/pdf']);
const MOST_MEDIA = 100;
const MOST_IMAGE_BYTES = 5 * 1024 * 1024;

export function checkMedia(blocks: readonly PlacedBlock[], report: Report): void {
  let count = 0;
  for (const { block, path } of blocks) {
    const { type, source } = block;
    if (type !== 'image' && type !== 'document') continue;
    count++;
    if (isRecord(source)) checkSource(type, source, path, report);
  }
  if (count > MOST_MEDIA)
    report('messages', 'media-count', `${count} images and documents, at most ${MOST_MEDIA}`);
}

function checkSource(type: 'image' | 'document', source: Fields, path: string, report: Report): void {
  const { data, media_type } = source;
  switch (source['type']) {
    case 'base64': {
      const types = type === 'image' ? IMAGE_TYPES : DOCUMENT_TYPES;
      if (!types.has(media_type))
        report(`${path}.source.media_type`, 'media-type', `${String(media_type)} is not a type of ${type}`);
      if (!isBase64(data)) report(`${path}.source.data`, 'media-data');
      else if (type === 'image' && data.length > MOST_IMAGE_BYTES) {
        report(`${path}.source.data`, 'media-size', `image exceeds 5 MB maximum: ${data.length} bytes`);
      }
      return;
    }
    case 'url':
      if (!isText(source['url'])) report(`${path}.source.url`, 'media-data');
      return;
    case 'file':
      if (!isText(source['file_id'])) report(`${path}.source.file_id`, 'media-data');
      return;
    case 'text':
      if (type !== 'document' || media_type !== 'text/plain')
        report(`${path}.source.media_type`, 'media-type');
      else if (!isText(data)) report(`${path}.source.data`, 'media-data');
      return;
    case 'content':
      if (type !== 'document') report(`${path}.source`, 'media-data');
      return;
    default:
      report(`${path}.source`, 'media-data');
  }
}

function isBase64(data: unknown): data is string {
  return isText(data) && data.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(data.replace(/={1,2}$/, ''));
}
