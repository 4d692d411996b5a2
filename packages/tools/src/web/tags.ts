/**
 * The tags and texts of a page, one after the other. No tree is built, for the time that takes grows with the depth of the page,
 * and a page can be made as deep as its author likes.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

export interface TagHandler {
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  text(text: string): void;
}

const CHUNK = 65_536;

export async function readTags(html: string, handler: TagHandler, signal?: AbortSignal): Promise<void> {
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
