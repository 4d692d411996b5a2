/**
 * Checks thinking: blocks are signed, unchanged and for the model that wrote them. A tool turn with
 * thinking begins with thinking.
 */
import { isRecord } from '@heddle/core';
import { type JsonFields, placedFieldsOf, isString, type PlacedBlock } from './json.ts';
import type { Report, RequestRule } from './rules.ts';
import type { Signatures } from './signatures.ts';

const RULE_OF = {
  unknown: 'thinking-unknown',
  changed: 'thinking-changed',
  other_model: 'thinking-model',
} as const satisfies Record<string, RequestRule>;

/** Without a register of signatures only the form is checked. */
export function checkThinkingBlocks(
  body: JsonFields,
  blocks: readonly PlacedBlock[],
  signatures: Signatures | undefined,
  report: Report,
): void {
  for (const { block, path } of blocks) {
    const { type, thinking, signature, data } = block;
    const proof = type === 'thinking' ? signature : data;
    if (type !== 'thinking' && type !== 'redacted_thinking') continue;
    if (type === 'thinking' && !isString(signature)) report(path, 'thinking-signature');
    if (signatures === undefined || !isString(proof)) continue;
    const text = type === 'thinking' ? String(thinking) : proof;
    const verdict = signatures.check(proof, String(body['model']), text);
    if (verdict !== 'good')
      report(path, RULE_OF[verdict], `Invalid \`signature\` in \`${type}\` block (${verdict})`);
  }
  for (const { place, fields } of placedFieldsOf(body['messages'])) {
    const last = placedFieldsOf(fields['content']).at(-1);
    const type = last?.fields['type'];
    if (type === 'thinking' || type === 'redacted_thinking') report(`messages.${place}`, 'thinking-last');
  }
}

/**
 * The accepted thinking modes of each model of the Messages API, by its id. Other ids belong to gateways.
 */
const MODES: readonly { readonly model: RegExp; readonly accepts: readonly string[] }[] = [
  { model: /^claude-(fable|mythos)-|^claude-opus-5-5/, accepts: ['adaptive'] },
  { model: /^claude-sonnet-5-5/, accepts: ['adaptive', 'between_tools'] },
  { model: /^claude-(opus-5|opus-4-[78]|sonnet-5|haiku-5-5)/, accepts: ['adaptive', 'disabled'] },
  { model: /^claude-(opus|sonnet)-4-6/, accepts: ['adaptive', 'enabled', 'disabled'] },
  { model: /^claude-(opus-4|sonnet-4|haiku-4|3-7)/, accepts: ['enabled', 'disabled'] },
  { model: /^claude-3-/, accepts: ['disabled'] },
];

export function checkThinkingSettings({ model, thinking, messages }: JsonFields, report: Report): void {
  const type = isRecord(thinking) ? thinking['type'] : undefined;
  if (typeof type !== 'string') return;
  const mode = MODES.find((known) => known.model.test(String(model)));
  if (mode !== undefined && !mode.accepts.includes(type))
    report('thinking', 'thinking-mode', `"thinking.type.${type}" is not supported for this model.`);
  const first = type === 'enabled' ? firstOfToolTurn(placedFieldsOf(messages)) : undefined;
  const [block] = first === undefined ? [] : placedFieldsOf(first.fields['content']);
  if (first === undefined || isThinking(block?.fields)) return;
  report(
    `messages.${first.place}.content.0`,
    'thinking-first',
    `messages.${first.place}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}

type PlacedMessage = ReturnType<typeof placedFieldsOf>[number];

/**
 * Returns the first assistant message of the open tool turn. Undefined if the last message begins a turn.
 */
function firstOfToolTurn(messages: readonly PlacedMessage[]): PlacedMessage | undefined {
  let first: PlacedMessage | undefined;
  for (let at = messages.length - 1; at > 0 && hasResult(messages[at]); at -= 2) first = messages[at - 1];
  return first;
}

function hasResult(message: PlacedMessage | undefined): boolean {
  return placedFieldsOf(message?.fields['content']).some(({ fields }) => fields['type'] === 'tool_result');
}

function isThinking(block: JsonFields | undefined): boolean {
  return block?.['type'] === 'thinking' || block?.['type'] === 'redacted_thinking';
}
