/**
 * Returns the text of a body: HTML becomes Markdown, other text is unchanged, and other types are
 * rejected.
 */
import type { WebPage } from './markdown.ts';

export interface DecodedBody {
  readonly url: string;
  readonly contentType: string;
  readonly body: Buffer;
}

const TEXT =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-ndjson|yaml|x-yaml|toml|sql|graphql|.*\+(json|xml|yaml)))/;

/** Throws if the body is not text. */
export async function textOfBody(
  { url, contentType, body }: DecodedBody,
  signal: AbortSignal,
): Promise<WebPage> {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  if (type !== '' && !isHtml && !TEXT.test(type)) throw new Error(`it is ${type}, which is not text`);
  if (body.subarray(0, 8_000).includes(0) && !isHtml) throw new Error('it is not text');
  const named = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  const text = decode(body, named ?? (isHtml ? charsetIn(body) : undefined));
  if (!isHtml && !(type === '' && /^\s*<(!doctype html|html)/i.test(text))) return { title: '', text };
  const { markdownOf } = await import('./markdown.ts');
  return markdownOf(text, url, signal);
}

function charsetIn(body: Buffer): string | undefined {
  return /<meta[^>]+charset=["']?([\w-]+)/i.exec(body.toString('latin1', 0, 2_048))?.[1];
}

function decode(body: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
