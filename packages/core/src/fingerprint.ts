/** Returns a short hash of texts. It detects repetition and is not for security. */
export function fingerprint(parts: readonly string[]): string {
  // Two 32-bit FNV-style lanes with different primes. With 64 bits, a collision among the calls of a run is negligible.
  let high = 0x811c9dc5;
  let low = 0xdeadbeef;
  for (const part of parts) {
    for (let index = 0; index < part.length; index++) {
      const code = part.charCodeAt(index);
      high = Math.imul(high ^ code, 0x01000193);
      low = Math.imul(low ^ code, 0x85ebca6b);
    }
    high = Math.imul(high ^ 0x1f, 0x01000193);
    low = Math.imul(low ^ 0x1f, 0x85ebca6b);
  }
  return (high >>> 0).toString(16).padStart(8, '0') + (low >>> 0).toString(16).padStart(8, '0');
}
