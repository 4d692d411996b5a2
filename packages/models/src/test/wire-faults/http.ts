/** Faults between client and server: proxies, gateways, compression, redirects, and wrong status codes. */
import { gzipSync } from 'node:zlib';
import { html, raw } from '@heddle/testing';
import { geminiChunk, responseOf } from '../raw-answers.ts';
import { chats, everywhere, GOOD, NO_TEXT, OVERLOADED, type Row } from './row.ts';

const packed = (text: string) =>
  raw(200, gzipSync(text), { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });

export const HTTP: readonly Row[] = [
  {
    fault: 'a stream with a wrong content type, without its last line',
    outcome: { is: 'told' },
    cells: {
      ...chats(raw(200, GOOD.chat.replace('data: [DONE]\n\n', ''), { 'content-type': 'application/json' })),
      responses: raw(200, GOOD.responses, { 'content-type': 'text/plain' }),
      gemini: raw(200, GOOD.gemini, {}),
      converse: NO_TEXT,
    },
  },
  {
    fault: 'an answer that comes packed',
    outcome: { is: 'told' },
    cells: {
      ...chats(packed(GOOD.chat)),
      responses: packed(GOOD.responses),
      gemini: packed(GOOD.gemini),
      converse: NO_TEXT,
    },
  },
  {
    fault: 'an error with the status of an answer',
    outcome: { is: 'repeated', class: 'overloaded', words: 'The model is overloaded.' },
    cells: everywhere(raw(200, JSON.stringify(OVERLOADED))),
  },
  {
    fault: 'a refused key with the status of an answer',
    outcome: { is: 'ended', class: 'auth', words: 'No auth credentials found' },
    cells: everywhere(raw(200, '{"error":{"message":"No auth credentials found","code":401}}')),
  },
  {
    fault: 'an answer in one piece',
    outcome: { is: 'ended', class: 'bad_request', words: 'does not stream its answers' },
    cells: {
      ...chats(raw(200, '{"choices":[{"message":{"role":"assistant","content":"Good."}}]}')),
      responses: raw(200, JSON.stringify(responseOf('completed'))),
      gemini: raw(200, JSON.stringify([geminiChunk([{ text: 'Good.' }], 'STOP')])),
      converse: { none: 'its address is that of the stream' },
    },
  },
  {
    fault: 'the page of a proxy whose server is away',
    outcome: { is: 'repeated', class: 'server', words: 'a web page titled “502 Bad Gateway”' },
    cells: everywhere(html(502)),
  },
  {
    fault: 'the page of a proxy that denies access',
    outcome: { is: 'ended', class: 'network', words: 'A web page answered instead of the provider' },
    cells: everywhere(html(403, 'Just a moment')),
  },
  {
    fault: 'the page of a proxy that takes no request of this size',
    outcome: { is: 'too long' },
    cells: everywhere(html(413, 'Request Entity Too Large')),
  },
  {
    fault: 'words of a gateway instead of JSON',
    outcome: { is: 'repeated', class: 'server', words: 'upstream connect error' },
    cells: everywhere(raw(503, 'upstream connect error', { 'content-type': 'text/plain' })),
  },
  {
    fault: 'an error without a word',
    outcome: { is: 'repeated', class: 'server' },
    cells: everywhere(raw(500, '', {})),
  },
  {
    fault: 'an address that has moved to another host, which would get the key',
    outcome: { is: 'ended', class: 'bad_request', words: 'it points to http://127.0.0.2:1/' },
    cells: everywhere(raw(307, '', { location: 'http://127.0.0.2:1/' })),
  },
];
