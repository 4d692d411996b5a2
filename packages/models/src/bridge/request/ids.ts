/** Ids of calls as a provider takes them. Ours come from whoever made the call, and a conversation may have changed hands. */
import { createHash } from 'node:crypto';

export type IdForm = 'any' | 'nine letters or digits';

const NINE = /^[a-zA-Z0-9]{9}$/;

/** The same id always becomes the same one: calls and results find each other, and caches their beginnings. */
export function wireId(id: string, form: IdForm): string {
  if (form === 'any' || NINE.test(id)) return id;
  const digits = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`).toString(36);
  return digits.slice(0, 9);
}
