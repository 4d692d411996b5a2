/** Thrown by whoever processes media on this machine (scaling, decoding); the run then ends with `image_error`. */
export class LocalMediaError extends Error {
  override readonly name = 'LocalMediaError';
}
