/**
 * The signatures of a fake server: a thinking block must come back unchanged, and to the model that wrote
 * it.
 */

export interface Signatures {
  /** Signs a text in the model's name and records it. Deterministic. */
  sign(model: string, text: string): string;
  /** Records a signature that was made elsewhere. */
  admit(signature: string, model: string, text: string): void;
  check(signature: string, model: string, text: string): 'good' | 'unknown' | 'changed' | 'other_model';
}

export function createSignatures(): Signatures {
  const issued = new Map<string, { readonly model: string; readonly hash: string }>();
  const admit = (signature: string, model: string, text: string) =>
    void issued.set(signature, { model, hash: hashOf(text) });
  return {
    sign(model, text) {
      const signature = `sig_${hashOf(`${model}\n${text}`)}`;
      admit(signature, model, text);
      return signature;
    },
    admit,
    check(signature, model, text) {
      const known = issued.get(signature);
      if (known === undefined) return 'unknown';
      if (known.model !== model) return 'other_model';
      return known.hash === hashOf(text) ? 'good' : 'changed';
    },
  };
}

/** Two FNV-1a hashes over the UTF-16 units: short, fast, and sufficient to detect a changed text. */
function hashOf(text: string): string {
  let left = 0x811c9dc5;
  let right = 0x01000193;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    left = Math.imul(left ^ unit, 0x01000193) >>> 0;
    right = Math.imul(right ^ unit ^ (index & 0xff), 0x01000197) >>> 0;
  }
  return left.toString(16).padStart(8, '0') + right.toString(16).padStart(8, '0');
}
