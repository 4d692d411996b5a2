/** Images and documents as file parts, or as words where the provider cannot have them. */
import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import type { DocumentBlock, ImageBlock } from '@heddle/core';
import type { Features } from '../../providers/features.ts';

export type MediaPart = LanguageModelV4FilePart | LanguageModelV4TextPart;

export function mediaPart(block: ImageBlock | DocumentBlock, features: Features): MediaPart {
  const { source } = block;
  if (source.type === 'file') return note(block, 'it lies in a store of another provider');
  const mediaType = source.type === 'base64' ? source.media_type : USUAL[block.type];
  if (source.type === 'base64' && mediaType.startsWith('text/')) return textOf(block, source.data);
  const isTaken = block.type === 'image' ? features.images : features.documents && isPdf(mediaType);
  if (!isTaken) return note(block, 'this provider does not take it');
  const data: LanguageModelV4FilePart['data'] | undefined =
    source.type === 'base64' ? { type: 'data', data: source.data } : urlData(source.url);
  if (data === undefined) return note(block, 'its address cannot be read');
  return { type: 'file', mediaType, data, ...titleOf(block) };
}

const USUAL = { image: 'image/*', document: 'application/pdf' } as const;

function isPdf(mediaType: string): boolean {
  return mediaType === 'application/pdf';
}

function urlData(address: string): LanguageModelV4FilePart['data'] | undefined {
  const url = URL.parse(address);
  return url === null ? undefined : { type: 'url', url };
}

function titleOf(block: ImageBlock | DocumentBlock): { filename?: string } {
  return block.type === 'document' && block.title !== undefined ? { filename: block.title } : {};
}

/** A document that is nothing but text needs no feature at all. */
function textOf(block: ImageBlock | DocumentBlock, data: string): LanguageModelV4TextPart {
  const { filename = 'Document' } = titleOf(block);
  return { type: 'text', text: `${filename}:\n${Buffer.from(data, 'base64').toString('utf8')}` };
}

function note(block: ImageBlock | DocumentBlock, why: string): LanguageModelV4TextPart {
  const { filename } = titleOf(block);
  const what = filename === undefined ? block.type : `${block.type} ${filename}`;
  return { type: 'text', text: `[${what} left out: ${why}]` };
}
