/** Thinking blocks: signed by the server, unchanged, for the model that wrote them, and never the last of a message. */
import { type Fields, fieldsOf, isText, type PlacedBlock } from './read.ts';
import type { Report, Rule } from './rules.ts';
import type { Signatures } from './signatures.ts';

const RULE_OF = {
  unknown: 'thinking-unknown',
  changed: 'thinking-changed',
  other_model: 'thinking-model',
} as const satisfies Record<string, Rule>;

/** Without a register of signatures only the form is checked. */
export function checkThinkingBlocks(
  body: Fields,
  blocks: readonly PlacedBlock[],
  signatures: Signatures | undefined,
  report: Report,
): void {
  for (const { block, path } of blocks) {
    const { type, thinking, signature, data } = block;
    const proof = type === 'thinking' ? signature : data;
    if (type !== 'thinking' && type !== 'redacted_thinking') continue;
    if (type === 'thinking' && !isText(signature)) report(path, 'thinking-signature');
    if (signatures === undefined || !isText(proof)) continue;
    const text = type === 'thinking' ? String(thinking) : proof;
    const verdict = signatures.check(proof, String(body['model']), text);
    if (verdict !== 'good')
      report(path, RULE_OF[verdict], `Invalid \`signature\` in \`${type}\` block (${verdict})`);
  }
  for (const { place, fields } of fieldsOf(body['messages'])) {
    const last = fieldsOf(fields['content']).at(-1);
    const type = last?.fields['type'];
    if (type === 'thinking' || type === 'redacted_thinking') report(`messages.${place}`, 'thinking-last');
  }
}
