/** The steps that depend on the model and its settings: foreign signatures, step 3 (blocks of a beta), step 4 (media). */
import type { ContentBlock } from '../../messages/blocks.ts';
import { isThought, text } from '../../messages/blocks.ts';
import { MEDIA_TOO_MANY, mediaNote } from '../texts.ts';
import type { RequestView } from '../view.ts';
import { isDict } from './clean-json.ts';
import type { AnswerPart } from './fold.ts';
import { mapMedia, sizeOf } from './media.ts';
import { kindOf, type Mend } from './sanitise.ts';

/** Blocks that the API refuses unless a beta is on, and how that beta's header begins. */
const BETA_BLOCKS: ReadonlyMap<string, string> = new Map([
  ['advisor', 'advisor'],
  ['advisor_tool_result', 'advisor'],
  ['compaction', 'compact-'],
  ['mcp_tool_use', 'mcp-client-'],
  ['mcp_tool_result', 'mcp-client-'],
  ['container_upload', 'files-api-'],
]);

/** The kinds of `BETA_BLOCKS` that may not be sent under this view. */
export function refusedKinds(view: RequestView): ReadonlySet<string> {
  const refused = new Set<string>();
  for (const [kind, header] of BETA_BLOCKS) {
    const on = view.options.betas?.some((beta) => beta.startsWith(header)) ?? false;
    if (!on && !view.allowedBetaBlocks.includes(kind)) refused.add(kind);
  }
  return refused;
}

export function stripBetaBlocks<T extends { readonly block: ContentBlock }>(
  parts: readonly T[],
  refused: ReadonlySet<string>,
  mend: Mend,
): readonly T[] {
  return parts.filter(({ block }) => {
    if (!refused.has(betaKind(block))) return true;
    mend(`a block of type ${kindOf(block)} was left out: its beta is off`);
    return false;
  });
}

/** The call of the advisor is one of the server's tools by its type, and the advisor only by its name. */
function betaKind(block: ContentBlock): string {
  const fields: unknown = block;
  const kind = kindOf(block);
  return kind === 'server_tool_use' && isDict(fields) && fields['name'] === 'advisor' ? 'advisor' : kind;
}

/** A model refuses thinking that another one signed. */
export function stripForeignThinking(
  parts: readonly AnswerPart[],
  model: string,
  mend: Mend,
): readonly AnswerPart[] {
  return parts.filter((part) => {
    if (!isThought(part.block) || isSameModel(part.model, model)) return true;
    mend('thinking of another model was left out');
    return false;
  });
}

/** Thinking leads to something; at the end of an answer, where it was cut, the API refuses it. */
export function stripTrailingThinking(parts: readonly AnswerPart[], mend: Mend): readonly AnswerPart[] {
  const last = parts.findLastIndex((part) => !isThought(part.block));
  if (last < parts.length - 1) mend('thinking at the end of an answer was left out');
  return last < parts.length - 1 ? parts.slice(0, last + 1) : parts;
}

/** Another model wrote some of the answer. */
export function isForeign(parts: readonly AnswerPart[], model: string): boolean {
  return parts.some((part) => !isSameModel(part.model, model));
}

/** Asked for by an alias, a model answers under its dated name. */
function isSameModel(written: unknown, asked: string): boolean {
  return typeof written === 'string' && undated(written) === undated(asked);
}

function undated(model: string): string {
  return model.replace(/^anthropic[/:]/, '').replace(/-(?:\d{8}|latest)$/, '');
}

/** Silently replaces the media that come before the `strip`-th, and tells the sizes of all. */
export function stripOldMedia(
  blocks: readonly ContentBlock[],
  before: number,
  strip: number,
): { readonly blocks: readonly ContentBlock[]; readonly sizes: readonly number[] } {
  const sizes: number[] = [];
  const kept = blocks.map((block) =>
    mapMedia(block, (media) => {
      sizes.push(sizeOf(media));
      return before + sizes.length > strip ? media : text(mediaNote(media.type, MEDIA_TOO_MANY));
    }),
  );
  return { blocks: kept, sizes };
}
