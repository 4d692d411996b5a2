/** Checks the head of a request: everything beside the messages. */
import { isRecord } from '@heddle/core';
import { type JsonFields, type PlacedBlock, placedFieldsOf, isBlankText, isString } from './json.ts';
import type { Report } from './rules.ts';

const TOP_LEVEL = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'context_management',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
  'service_tier',
  'inference_geo',
  'container',
  'mcp_servers',
  'speed',
  'cache_control',
]);

export function checkHead(body: JsonFields, report: Report): void {
  for (const field of Object.keys(body)) {
    if (!TOP_LEVEL.has(field)) report(field, 'unknown-field', `${field}: Extra inputs are not permitted`);
  }
  const { model, max_tokens } = body;
  if (!isString(model)) report('model', 'model');
  if (!isCount(max_tokens)) report('max_tokens', 'max-tokens');
  checkThinking(body, report);
  checkEffort(body, report);
  checkSystem(body['system'], report);
  checkTools(body['tools'], report);
}

const THINKING_KINDS = new Set<unknown>(['enabled', 'disabled', 'adaptive', 'between_tools']);

const MINIMUM_THINKING_BUDGET = 1_024;

function checkThinking({ thinking, max_tokens }: JsonFields, report: Report): void {
  if (thinking === undefined) return;
  if (!isRecord(thinking) || !THINKING_KINDS.has(thinking['type'])) return report('thinking', 'thinking');
  if (thinking['type'] !== 'enabled') return;
  const budget = thinking['budget_tokens'];
  const fits =
    isCount(budget) &&
    budget >= MINIMUM_THINKING_BUDGET &&
    typeof max_tokens === 'number' &&
    budget < max_tokens;
  if (!fits) report('thinking.budget_tokens', 'thinking');
}

const EFFORTS = new Set<unknown>(['low', 'medium', 'high', 'xhigh', 'max']);

function checkEffort({ output_config }: JsonFields, report: Report): void {
  const effort = isRecord(output_config) ? output_config['effort'] : undefined;
  if (effort !== undefined && !EFFORTS.has(effort)) report('output_config.effort', 'effort');
}

function checkSystem(system: unknown, report: Report): void {
  if (system === undefined || isString(system)) return;
  if (!Array.isArray(system) || system.length === 0) return report('system', 'system');
  for (const [place, layer] of system.entries()) {
    const path = `system.${place}`;
    if (!isRecord(layer) || layer['type'] !== 'text' || typeof layer['text'] !== 'string')
      report(path, 'system');
    else if (isBlankText(layer['text'])) report(path, 'empty-text');
  }
}

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function checkTools(tools: unknown, report: Report): void {
  const seen = new Set<unknown>();
  for (const { place, fields } of placedFieldsOf(tools)) {
    const { name, type = 'custom', input_schema } = fields;
    if (typeof name !== 'string' || !TOOL_NAME.test(name)) report(`tools.${place}.name`, 'tool-name');
    if (seen.has(name)) report(`tools.${place}.name`, 'tool-duplicate');
    seen.add(name);
    const hasSchema = isRecord(input_schema) && input_schema['type'] === 'object';
    if (type === 'custom' && !hasSchema) report(`tools.${place}.input_schema`, 'tool-schema');
    if (isDeferred(fields) && isRecord(fields['cache_control']))
      report(`tools.${place}.cache_control`, 'tool-deferred');
  }
  const declared = placedFieldsOf(tools);
  if (declared.length > 0 && declared.every(({ fields }) => isDeferred(fields)))
    report(
      'tools',
      'tool-deferred',
      'All tools have defer_loading set. At least one tool must be non-deferred.',
    );
}

function isDeferred(tool: JsonFields): boolean {
  return tool['defer_loading'] === true;
}

/** Checks that each reference in a result has its definition in the list of tools. */
export function checkReferences(body: JsonFields, blocks: readonly PlacedBlock[], report: Report): void {
  const deferred = new Set(
    placedFieldsOf(body['tools'])
      .filter(({ fields }) => isDeferred(fields))
      .map(({ fields }) => fields['name']),
  );
  for (const { block, path } of blocks) {
    if (block['type'] !== 'tool_reference' || deferred.has(block['tool_name'])) continue;
    const name = String(block['tool_name']);
    report(path, 'tool-reference', `Tool reference '${name}' has no corresponding tool definition`);
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
