/** A short name for some text: the same text, the same name. For noticing repetition, not for security. */
export function fingerprint(parts: readonly string[]): string {
  // Two 32-bit FNV-style lanes with different primes: 64 bits make a chance match among a run's calls unthinkable.
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
