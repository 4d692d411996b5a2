/**
 * Converts HTML to Markdown in one pass and in linear time, even for invalid pages. Scripts, styles,
 * menus, forms, bold and italic are omitted, because only the text matters to the model.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { setImmediate as breathe } from 'node:timers/promises';
import { MarkdownWriter } from './markdown-writer.ts';

export interface WebPage {
  readonly title: string;
  readonly text: string;
}

const NO_TEXT: ReadonlySet<string> = new Set(
  'script style template svg math iframe object canvas noscript'.split(' '),
);
/** Elements around the text. A page that does not close one of them is read with them. */
const AROUND: ReadonlySet<string> = new Set('nav footer button select textarea datalist dialog'.split(' '));
const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside body dd details div dl dt fieldset figcaption figure form header hgroup main p section summary'.split(
    ' ',
  ),
);

export async function markdownOf(html: string, base: string, signal?: AbortSignal): Promise<WebPage> {
  const reader = new Reader(base, new Set([...NO_TEXT, ...AROUND]));
  await readTags(html, reader, signal);
  if (!reader.isInside(AROUND)) return reader.page();
  const whole = new Reader(base, NO_TEXT);
  await readTags(html, whole, signal);
  return whole.page();
}

class Reader implements TagHandler {
  readonly #writer = new MarkdownWriter();
  readonly #base: string;
  readonly #skipped: ReadonlySet<string>;
  /** The element that is skipped until it closes, and its nesting depth. */
  #skipping: { readonly name: string; depth: number } | undefined;
  #title = '';
  #isTitle = false;

  constructor(base: string, skipped: ReadonlySet<string>) {
    this.#base = base;
    this.#skipped = skipped;
  }

  isInside(names: ReadonlySet<string>): boolean {
    return this.#skipping !== undefined && names.has(this.#skipping.name);
  }

  page(): WebPage {
    return { title: this.#title.replaceAll(/\s+/g, ' ').trim(), text: this.#writer.finish() };
  }

  text(text: string): void {
    if (this.#isTitle) this.#title += text;
    else if (!this.#skipping) this.#writer.text(text);
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#skipping) {
      if (this.#skipping.name === name) this.#skipping.depth++;
      return;
    }
    if (this.#skipped.has(name)) this.#skipping = { name, depth: 1 };
    else if (name === 'title') this.#isTitle = true;
    else this.#write(name, attributes);
  }

  close(name: string): void {
    if (name === 'title') this.#isTitle = false;
    else if (!this.#skipping) this.#end(name);
    else if (this.#skipping.name === name && --this.#skipping.depth === 0) this.#skipping = undefined;
  }

  #write(name: string, attributes: ReadonlyMap<string, string>): void {
    const writer = this.#writer;
    if (/^h[1-6]$/.test(name)) return writer.heading(Number(name[1]));
    if (BLOCKS.has(name)) return writer.block();
    switch (name) {
      case 'br':
        return writer.line();
      case 'hr':
        return writer.rule();
      case 'a':
        return writer.openLink(this.#absolute(attributes.get('href')));
      case 'img':
        return writer.image(attributes.get('alt') ?? '', this.#absolute(attributes.get('src')));
      case 'pre':
        return writer.openPre(languageOf(attributes.get('class')));
      case 'code':
        return writer.openCode(languageOf(attributes.get('class')));
      case 'ul':
      case 'ol':
        return writer.openList(name === 'ol');
      case 'li':
        return writer.item();
      case 'blockquote':
        return writer.openQuote();
      case 'table':
        return writer.openTable();
      case 'tr':
        return writer.openRow();
      case 'td':
      case 'th':
        return writer.openCell();
      default:
    }
  }

  #end(name: string): void {
    const writer = this.#writer;
    if (BLOCKS.has(name) || /^h[1-6]$/.test(name)) return writer.block();
    switch (name) {
      case 'a':
        return writer.closeLink();
      case 'pre':
        return writer.closePre();
      case 'code':
        return writer.closeCode();
      case 'ul':
      case 'ol':
        return writer.closeList();
      case 'li':
        return writer.line();
      case 'blockquote':
        return writer.closeQuote();
      case 'table':
        return writer.closeTable();
      case 'tr':
        return writer.closeRow();
      case 'td':
      case 'th':
        return writer.closeCell();
      default:
    }
  }

  #absolute(address: string | undefined): string | undefined {
    if (address === undefined || address === '' || address.startsWith('#')) return undefined;
    const url = URL.parse(address, this.#base);
    return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : undefined;
  }
}

function languageOf(names: string | undefined): string {
  return /\blang(?:uage)?-([\w+#-]+)/.exec(names ?? '')?.[1] ?? '';
}

// The tags and texts of a page in sequence. No tree is built, because its cost grows with the depth of the
// page, and a page can have any depth.

interface TagHandler {
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  text(text: string): void;
}

const CHUNK = 65_536;

async function readTags(html: string, handler: TagHandler, signal?: AbortSignal): Promise<void> {
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacksFor(html, handler));
  for (let at = 0; at < html.length; at += CHUNK) {
    tokenizer.write(html.slice(at, at + CHUNK));
    await breathe();
    signal?.throwIfAborted();
  }
  tokenizer.end();
}

function callbacksFor(html: string, handler: TagHandler): TokenizerCallbacks {
  const nothing = (): void => undefined;
  let name = '';
  let attribute = '';
  let value = '';
  let attributes = new Map<string, string>();
  const opened = (): void => handler.open(name, attributes);
  return {
    onopentagname(start, end) {
      name = html.slice(start, end).toLowerCase();
      attributes = new Map();
    },
    onattribname: (start, end) => void (attribute = html.slice(start, end).toLowerCase()),
    onattribdata: (start, end) => void (value += html.slice(start, end)),
    onattribentity: (codepoint) => void (value += String.fromCodePoint(codepoint)),
    onattribend() {
      attributes.set(attribute, value);
      value = '';
    },
    onopentagend: opened,
    onselfclosingtag: opened,
    onclosetag: (start, end) => handler.close(html.slice(start, end).toLowerCase()),
    ontext: (start, end) => handler.text(html.slice(start, end)),
    ontextentity: (codepoint) => handler.text(String.fromCodePoint(codepoint)),
    oncdata: nothing,
    oncomment: nothing,
    ondeclaration: nothing,
    onprocessinginstruction: nothing,
    onend: nothing,
  };
}
