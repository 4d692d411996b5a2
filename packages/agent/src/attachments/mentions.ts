/** Files that a prompt names with `@`: their texts, images and folder listings join the prompt as attachments. */
import { type Attachment, type ContentBlock, errorCode, type FileStateCache, textOf } from '@heddle/core';
import { pinFile, realTarget, resolvePath } from '@heddle/tools/files';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { admitMedia } from '../context/admit-media.ts';
import { isReallyWithin } from '../settings/trust.ts';

/** The files of one prompt. */
const MOST_MENTIONS = 20;
/** The part of one text file that is attached. The Read tool reads the rest. */
const FILE_CHARACTERS = 60_000;
const FILE_LINES = 2_000;
/** All texts of one prompt together. */
const PROMPT_CHARACTERS = 200_000;
const MOST_NAMES = 200;
/** Larger files are neither text to read at once nor images to scale. */
const MOST_BYTES = 32 * 1024 * 1024;

export interface Mention {
  readonly path: string;
  /** The first and last line, counted from 1, if the mention has them: `@a.ts#L10-20`. */
  readonly lines?: readonly [first: number, last: number];
}

const MENTION = /(?<=^|[\s([{])@(?:"([^"\n]+)"|([^\s"'`()[\]{}<>,;]+))/g;

/** Returns the mentions of a text in order, each once. Code is not searched. Pure. */
export function mentionsIn(text: string): readonly Mention[] {
  const prose = text.replaceAll(/```[^]*?(?:```|$)|`[^`\n]*`/g, (code) => ' '.repeat(code.length));
  const found = new Map<string, Mention>();
  for (const [, quoted, bare] of prose.matchAll(MENTION)) {
    const written = quoted ?? bare?.replace(/(?<![.:!?])[.:!?]+$/, '') ?? '';
    const [, name = '', first, last] = /^(.+?)(?:#L(\d+)(?:-L?(\d+))?)?$/.exec(written) ?? [];
    if (name === '') continue;
    const from = Number(first ?? Number.NaN);
    found.set(
      written,
      Number.isNaN(from) ? { path: name } : { path: name, lines: [from, Number(last ?? first)] },
    );
  }
  return [...found.values()].slice(0, MOST_MENTIONS);
}

/**
 * Returns the text that names exactly this file, and nothing else, when `mentionsIn` reads it. Undefined if there is none. Pure.
 *
 * Contract: this holds beside any other text, too. Text after the mention starts with a space.
 */
export function writeMention(name: string): string | undefined {
  // A quote or a backtick could end what earlier text began, and the rest of the name would be read as text.
  if (/["`]|[\s([{]@/.test(name)) return undefined;
  return [`@${name}`, `@"${name}"`].find((written) => {
    const [first, ...others] = mentionsIn(written);
    return first?.path === name && first.lines === undefined && others.length === 0;
  });
}

export interface MentionSetup {
  readonly cwd: string;
  /** The text that the user wrote. The text of a command or server names only files of the working folder. */
  readonly written: string;
  /** Returns a test for files that the current rules deny. */
  readonly deniedFiles: () => Promise<(file: string) => boolean>;
  /** The same for files that only the text of a command or server names. */
  readonly unaskedFiles: () => Promise<(file: string) => boolean>;
  /** Notes whole files as read, so that they can be edited. */
  readonly fileState: FileStateCache;
  readonly signal: AbortSignal;
}

/** Returns attachments for the files that the prompt names. A name without a file is ordinary text. */
export async function mentionedFiles(
  content: string | readonly ContentBlock[],
  setup: MentionSetup,
): Promise<readonly Attachment[]> {
  const mentions = mentionsIn(typeof content === 'string' ? content : textOf(content));
  if (mentions.length === 0) return [];
  const [isDenied, isUnasked] = await Promise.all([setup.deniedFiles(), setup.unaskedFiles()]);
  const written = new Set(mentionsIn(setup.written).map(({ path: name }) => name));
  const attachments: Attachment[] = [];
  let left = PROMPT_CHARACTERS;
  for (const mention of mentions) {
    const file = resolvePath(mention.path, setup.cwd);
    const isWritten = written.has(mention.path);
    if (!isWritten && !isReallyWithin(file, setup.cwd)) continue;
    const limit = Math.min(left, FILE_CHARACTERS);
    const attachment = await readMention(file, mention, limit, isWritten ? isDenied : isUnasked, setup);
    if (!attachment) continue;
    if (attachment.kind === 'file') left -= attachment.text.length;
    attachments.push(attachment);
  }
  return attachments;
}

async function readMention(
  file: string,
  { lines }: Mention,
  limit: number,
  isDenied: (file: string) => boolean,
  { fileState, signal }: MentionSetup,
): Promise<Attachment | undefined> {
  try {
    const real = realTarget(file);
    const about = statSync(real);
    if (isDenied(file) || isDenied(real))
      return { kind: 'file', path: file, text: '', note: 'A rule forbids reading it.' };
    if (about.isDirectory()) return { kind: 'file', path: file, ...listing(real) };
    // A pipe or a device would block.
    if (!about.isFile() || about.size > MOST_BYTES) return undefined;
    // Not opened by its path: a new link there would lead to an unchecked file.
    const pinned = pinFile(real);
    let bytes: Buffer;
    try {
      bytes = readFileSync(pinned.path);
    } finally {
      pinned.close();
    }
    if (bytes.includes(0)) return await readImage(file, bytes, signal);
    const shown = cut(bytes.toString('utf8'), lines, limit);
    if (shown.note === undefined) {
      const hash = createHash('sha256').update(bytes).digest('hex');
      fileState.set(real, { hash, readAt: about.mtimeMs, text: shown.text });
    }
    return { kind: 'file', path: file, ...shown };
  } catch (thrown) {
    if (errorCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}

/** Returns the lines of a text that fit, and a note about the others. */
function cut(
  whole: string,
  lines: Mention['lines'],
  limit: number,
): { readonly text: string; readonly note?: string } {
  const all = whole.split('\n');
  const [first, last] = lines ?? [1, all.length];
  const chosen = all.slice(first - 1, Math.min(last, first - 1 + FILE_LINES)).join('\n');
  const text = chosen.slice(0, Math.max(0, limit));
  if (text === whole) return { text };
  const end = first - 1 + text.split('\n').length;
  return { text, note: `Lines ${first} to ${end} of ${all.length}. Read the file for the rest.` };
}

function listing(folder: string): { readonly text: string; readonly note: string } {
  const entries = readdirSync(folder, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  const more = names.length > MOST_NAMES ? ` The first ${MOST_NAMES} of ${names.length}.` : '';
  return { text: names.slice(0, MOST_NAMES).join('\n'), note: `The names in this folder.${more}` };
}

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** An image is checked and scaled like one in the prompt. Other binary files are only named. */
async function readImage(file: string, bytes: Buffer, signal: AbortSignal): Promise<Attachment> {
  const type = IMAGE_TYPES[path.extname(file).toLowerCase()];
  if (type === undefined) return { kind: 'file', path: file, text: '', note: 'It is not a text file.' };
  const source = { type: 'base64', media_type: type, data: bytes.toString('base64') } as const;
  const [admitted] = await admitMedia([{ type: 'image', source }], signal);
  if (typeof admitted === 'object' && admitted.type === 'image')
    return { kind: 'image', path: file, image: admitted };
  const note = typeof admitted === 'object' ? textOf([admitted]) : '';
  return { kind: 'file', path: file, text: '', note };
}
