/**
 * Checks images and documents in user content before they enter the history, which keeps them forever. The API rejects
 * a whole request because of one of them. Large images are scaled down. Media that cannot be sent becomes a note with
 * the reason.
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

/** The limit of base64 characters for all media of one message. The limit of a request is only slightly higher. */
const MOST_TOGETHER = 20 * 1024 * 1024;

/** Returns the same content if nothing had to change. Without media, nothing is loaded. */
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

/** The API fetches and checks the content of a URL or a file id. */
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

/** Some hosts pass the whole data URL. */
function encodedPart(data: string): string {
  return data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data;
}
