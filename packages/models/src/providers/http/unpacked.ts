/** Bodies that come packed, unpacked as they come. */
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export function unpacked(incoming: IncomingMessage): Readable {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase();
  const unpack = encoding === undefined ? undefined : UNPACKERS[encoding];
  // Who has stopped reading need not hear of an error; who reads hears it from the iterator.
  incoming.on('error', () => undefined);
  if (unpack === undefined) return incoming;
  const stream = unpack();
  incoming.on('error', (error) => stream.destroy(error));
  stream.on('error', () => undefined).on('close', () => incoming.destroy());
  return incoming.pipe(stream);
}

/** A pack that breaks off ends where it does: the reader sees by himself that more was to come. */
const SYNC = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const SYNC_BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(SYNC),
  'x-gzip': () => createGunzip(SYNC),
  deflate: () => createInflate(SYNC),
  br: () => createBrotliDecompress(SYNC_BROTLI),
};
