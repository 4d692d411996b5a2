/**
 * Images and documents in what a user sends, checked before they enter the history: it would carry them for ever, and the API
 * refuses a whole request for one of them. What is too large is scaled down; what cannot be sent becomes a note with the reason.
 */
import {
  type ContentBlock,
  type DocumentBlock,
  errorMessage,
  type ImageBlock,
  mediaNote,
  text,
} from '@heddle/core';

type Media = ImageBlock | DocumentBlock;

/** Characters of base64 that the media of one message may have together; a request may have more, but not much. */
const MOST_TOGETHER = 20 * 1024 * 1024;

/** The same content where nothing had to be done; without media nothing is loaded for it. */
export async function admitMedia(
  content: string | readonly ContentBlock[],
  signal: AbortSignal,
): Promise<string | readonly ContentBlock[]> {
  if (typeof content === 'string' || !content.some(isEncodedMedia)) return content;
  const admitted: ContentBlock[] = [];
  let left = MOST_TOGETHER;
  for (const block of content) {
    const next = isEncodedMedia(block) ? await admit(block, signal) : block;
    const size = isEncodedMedia(next) ? next.source.data.length : 0;
    if (size > left) admitted.push(text(mediaNote(kindOf(block), TOO_MUCH)));
    else admitted.push(next);
    left -= size > left ? 0 : size;
  }
  return admitted;
}

const TOO_MUCH = 'with it, the images and documents of this message would be larger than a request may be';

type Encoded = Media & {
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
};

/** What a URL or a file id stands for is the API's to fetch, and to judge. */
function isEncodedMedia(block: ContentBlock): block is Encoded {
  return (block.type === 'image' || block.type === 'document') && block.source.type === 'base64';
}

function kindOf({ type }: ContentBlock): 'image' | 'document' {
  return type === 'image' ? 'image' : 'document';
}

async function admit(block: Encoded, signal: AbortSignal): Promise<ContentBlock> {
  const { prepareImage, imageTypeOf, isPdf } = await import('@heddle/tools/images');
  const bytes = Buffer.from(encodedPart(block.source.data), 'base64');
  if (block.type === 'document')
    return isPdf(bytes) ? block : text(mediaNote('document', 'it is not a PDF, whatever it says'));
  const type = imageTypeOf(bytes);
  if (type === undefined)
    return text(mediaNote('image', 'it is not a PNG, JPEG, GIF or WebP, whatever it says'));
  try {
    const { mediaType, base64 } = await prepareImage(bytes, type, signal);
    const { media_type, data } = block.source;
    if (mediaType === media_type && base64 === data) return block;
    return { ...block, source: { type: 'base64', media_type: mediaType, data: base64 } };
  } catch (thrown) {
    const why = errorMessage(thrown);
    return text(mediaNote('image', why.replaceAll(/\s+/g, ' ')));
  }
}

/** Some hosts hand on the whole data URL. */
function encodedPart(data: string): string {
  return data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data;
}
