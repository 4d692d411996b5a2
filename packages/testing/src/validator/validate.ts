/**
 * Checks whether the Messages API accepts a body. Written from the API's documentation and types. It
 * shares no code with `core`: a mistake there must not be repeated here.
 */
import { isRecord } from '@heddle/core';
import { checkBlocks } from './blocks.ts';
import { checkHead } from './head.ts';
import { checkMarks } from './marks.ts';
import { checkMedia } from './media.ts';
import { checkMessages } from './messages.ts';
import { checkPairing } from './pairing.ts';
import { blocksOf } from './json.ts';
import { type Report, RULES, type RequestViolation } from './rules.ts';
import type { Signatures } from './signatures.ts';
import { checkThinkingBlocks, checkThinkingSettings } from './thinking.ts';

export interface ValidationOptions {
  /** The last message may be the assistant's: a prefill, or a paused turn that continues. */
  readonly prefill?: boolean;
  /** The server's signatures. Without them, the origin of a signature is not checked. */
  readonly signatures?: Signatures;
  /** Undocumented block types that this server has sent itself. */
  readonly knownBlockTypes?: ReadonlySet<string>;
  /** The size of the sent body. Default: measured. */
  readonly bytes?: number;
}

const MOST_BYTES = 32 * 1024 * 1024;

/** Returns every broken rule. Empty: the API would accept the body. Total: accepts any value. */
export function validateRequest(body: unknown, options: ValidationOptions = {}): RequestViolation[] {
  const violations: RequestViolation[] = [];
  const report: Report = (path, rule, message = RULES[rule]) => void violations.push({ path, rule, message });
  if (!isRecord(body)) {
    report('', 'body-form');
    return violations;
  }
  const bytes = options.bytes ?? Buffer.byteLength(JSON.stringify(body));
  if (bytes > MOST_BYTES) report('', 'request-size', `${bytes} bytes, at most ${MOST_BYTES}`);
  checkHead(body, report);
  checkMessages(body, options.prefill ?? false, report);
  const blocks = blocksOf(body);
  checkBlocks(blocks, options.knownBlockTypes ?? new Set(), report);
  checkPairing(blocks, report);
  checkThinkingSettings(body, report);
  checkThinkingBlocks(body, blocks, options.signatures, report);
  checkMarks(body, blocks, report);
  checkMedia(blocks, report);
  checkUnicode(body, [], report);
  return violations;
}

/** One line per violation: `messages.1.content.0 result-missing …`. */
export function explainViolations(violations: readonly RequestViolation[]): string {
  return violations.map(({ path, rule, message }) => `${path}  ${rule}  ${message}`).join('\n');
}

/** `trail` is the current position as keys. It is restored when the function returns. */
function checkUnicode(value: unknown, trail: string[], report: Report): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) report(trail.join('.'), 'unicode', 'a lone surrogate');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    trail.push(key);
    if (!key.isWellFormed()) report(trail.join('.'), 'unicode', 'a lone surrogate in a key');
    checkUnicode(inner, trail, report);
    trail.pop();
  }
}
