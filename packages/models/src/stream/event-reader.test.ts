import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventReader } from './wire-event.ts';

function read(bytes: Uint8Array, size = bytes.length): string[] {
  const events: string[] = [];
  const reader = new EventReader((data) => events.push(data));
  for (let start = 0; start < bytes.length; start += size) reader.feed(bytes.subarray(start, start + size));
  return events;
}

const encode = (text: string) => new TextEncoder().encode(text);

describe('the reader of server-sent events', () => {
  it('delivers the data of each event, regardless of the event name', () => {
    expect(read(encode('event: a\ndata: {"x":1}\n\ndata:{"y":2}\n\n'))).toEqual(['{"x":1}', '{"y":2}']);
  });

  it('joins several lines of data', () => {
    expect(read(encode('data: one\ndata:\ndata: two\n\n'))).toEqual(['one\n\ntwo']);
  });

  it('skips comments, ids, retries and events without data', () => {
    expect(read(encode(': keep-alive\n\nid: 7\nretry: 10\n\nevent: ping\n\ndata: x\n\n'))).toEqual(['x']);
  });

  it.each([
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ])('accepts %s as the end of a line, also at the end of a chunk', (_name, end) => {
    const bytes = encode(`event: a${end}data: é1${end}${end}data: 2${end}${end}`);
    for (let size = 1; size <= bytes.length; size++) expect(read(bytes, size)).toEqual(['é1', '2']);
  });

  it('drops an event that never ended', () => {
    expect(read(encode('data: whole\n\ndata: half'))).toEqual(['whole']);
  });

  it('ignores a byte order mark', () => {
    expect(read(encode('\uFEFFdata: x\n\n'))).toEqual(['x']);
  });

  it('reads the same events for any chunking, also inside characters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        (texts, size) => {
          const data = texts.map((text) => JSON.stringify({ text }));
          const bytes = encode(data.map((line) => `event: delta\ndata: ${line}\n\n`).join(''));
          expect(read(bytes, size)).toEqual(data);
        },
      ),
    );
  });

  it('reads an event of 10 MB in linear time', () => {
    const data = JSON.stringify({ text: 'x'.repeat(10_000_000) });
    expect(read(encode(`data: ${data}\n\n`), 1_000)).toEqual([data]);
  });

  it('reports how much of an event has arrived', () => {
    const reader = new EventReader(() => undefined);
    reader.feed(encode('data: 0123456789'));
    expect(reader.unread).toBe(16);
    reader.feed(encode('\n\n'));
    expect(reader.unread).toBe(0);
  });
});
