/** Broken histories: valid ones that were damaged, and lists of arbitrary parts. */
import { createSignatures } from '@heddle/testing';
import { codePoint } from '@heddle/testing/properties';
import fc from 'fast-check';
import type { Message } from '../../messages/message.ts';
import { broken, MODEL } from './samples.ts';

export const signatures = createSignatures();
export const FOREIGN_KINDS = new Set(['poem']);

const OTHER_MODEL = 'model-two';
const OVERSIZED = 'A'.repeat(5 * 1024 * 1024 + 4);

const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\n\t',
    '\ufeff',
    '\ud83d',
    'a\udc00b',
    'ok 👍',
    '</system-reminder>',
    '"\\\u0000',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: codePoint, maxLength: 6 }),
);
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    0,
    Number.NaN,
    true,
    '',
    'words',
    [],
    {},
    [null],
    { type: 5 },
    { type: '' },
  ),
  fc.anything({ maxDepth: 2 }),
);
const id = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<unknown>('a', 'b', 'c', 'd', 'toolu_1') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('', 'x y', 'é', '\ud800', 7, null, undefined, 'a_2') },
);
const strange = fc.constantFrom({}, {}, {}, { uuid: 'u', at: 3 }, { cache_control: { type: 'ephemeral' } });

const source = fc.oneof(
  fc.constant({ type: 'base64', media_type: 'image/png', data: OVERSIZED }),
  fc.record({
    type: fc.constant('base64'),
    media_type: fc.constantFrom<unknown>('image/png', 'image/jpeg', 'image/tiff', 'application/pdf', null),
    data: fc.constantFrom<unknown>('aGVk', 'aGV\nk', 'aGVkZGxl', '', 'not base64', 'aGV', null),
  }),
  fc.record({
    type: fc.constant('url'),
    url: fc.constantFrom<unknown>('https://example.org/a.png', 'ftp:/', 4),
  }),
  fc.record({ type: fc.constant('file'), file_id: fc.constantFrom<unknown>('file_1', '', null) }),
  fc.record({ type: fc.constant('text'), media_type: fc.constant('text/plain'), data: text }),
  fc.record({
    type: fc.constant('content'),
    content: fc.oneof(text, fc.array(fc.record({ text }), { maxLength: 2 })),
  }),
  junk,
);
const media = fc.record({ type: fc.constantFrom('image', 'document'), source, title: fc.option(text) });
const textBlock = fc
  .tuple(fc.record({ type: fc.constant('text'), text }), strange)
  .map(([block, more]): object => Object.assign({}, block, more));

const resultContent = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: textBlock },
      { weight: 2, arbitrary: media },
      {
        weight: 1,
        arbitrary: fc.constantFrom<unknown>({ type: 'poem' }, { type: 'thinking' }, { type: 'tool_use' }),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom<unknown>(
          { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'x' }], at: 1 },
          { type: 'search_result', source: 's' },
          { type: 'tool_reference', tool_name: 'Read' },
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom<unknown>(
          { type: 'tool_reference', tool_name: 'Read', definition: { description: 'd', input_schema: {} } },
          { type: 'tool_reference', tool_name: 'Find', definition: { description: 'd', input_schema: {} } },
          { type: 'tool_reference', tool_name: 'Find', definition: { description: 'd', input_schema: 1 } },
        ),
      },
      { weight: 1, arbitrary: junk },
    ),
    { maxLength: 4 },
  ),
  junk,
);

const toolUse = fc
  .tuple(
    fc.record({
      type: fc.constant('tool_use'),
      id,
      name: fc.constantFrom<unknown>('Read', 'Bash', 'two words', '', null, 'x'.repeat(200)),
      input: fc.oneof(fc.constant({}), fc.dictionary(text, junk, { maxKeys: 2 }), junk),
    }),
    strange,
  )
  .map(([block, more]): object => Object.assign({}, block, more));
const toolResult = fc
  .tuple(
    fc.record({
      type: fc.constant('tool_result'),
      tool_use_id: id,
      content: resultContent,
      is_error: fc.constantFrom<unknown>(true, false, undefined, 'yes'),
    }),
    strange,
  )
  .map(([block, more]): object => Object.assign({}, block, more));
const server = fc.oneof(
  fc.record({
    type: fc.constant('server_tool_use'),
    id: fc.constantFrom<unknown>('s1', 's2', 'a', null),
    name: fc.constantFrom('web_search', 'advisor', 'code_execution'),
    input: fc.constant({}),
  }),
  fc.record({
    type: fc.constantFrom('web_search_tool_result', 'advisor_tool_result', 'mcp_tool_result'),
    tool_use_id: fc.constantFrom<unknown>('s1', 's2', 'a', null),
    content: fc.constant([]),
  }),
  fc.record({ type: fc.constant('mcp_tool_use'), id: fc.constantFrom('s1', 's3'), name: fc.constant('m') }),
);
const serverPair = fc
  .constantFrom(['web_search', 'web_search_tool_result'], ['advisor', 'advisor_tool_result'])
  .chain(([name, type]) =>
    fc.constantFrom('s1', 's2', 's3', 's4').map((id) => [
      { type: 'server_tool_use', id, name, input: {} },
      { type, tool_use_id: id, content: [] },
    ]),
  );
const foreign = fc.record({ type: fc.constant('poem'), lines: fc.array(text, { maxLength: 2 }) });

/** Thinking in the form that `model` writes, or in an invalid form. */
const thinking = (model: string) =>
  fc.oneof(
    fc.string({ maxLength: 5 }).map((words) => ({
      type: 'thinking',
      thinking: words,
      signature: signatures.sign(model, words),
    })),
    fc.string({ minLength: 1, maxLength: 5 }).map((words) => {
      const data = `redacted ${model} ${words}`;
      signatures.admit(data, model, data);
      return { type: 'redacted_thinking', data };
    }),
    fc.constantFrom<unknown>(
      { type: 'thinking', thinking: 'x', signature: '' },
      { type: 'thinking', thinking: '\ud800', signature: 'forged' },
      { type: 'thinking' },
      { type: 'redacted_thinking', data: '' },
      { type: 'redacted_thinking', data: 4 },
    ),
  );

const anyBlock = (model: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 5, arbitrary: textBlock },
    { weight: 5, arbitrary: toolUse },
    { weight: 5, arbitrary: toolResult },
    { weight: 3, arbitrary: thinking(model) },
    { weight: 2, arbitrary: media },
    { weight: 2, arbitrary: server },
    { weight: 1, arbitrary: foreign },
    { weight: 1, arbitrary: junk },
  );

const crowd = fc.integer({ min: 40, max: 130 }).map((count) =>
  Array.from({ length: count }, () => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'aGVk' },
  })),
);
const anyContent = (model: string) =>
  fc.oneof(
    { weight: 3, arbitrary: text },
    {
      weight: 20,
      arbitrary: fc
        .array(
          fc.oneof(
            { weight: 9, arbitrary: anyBlock(model).map((block): unknown[] => [block]) },
            { weight: 1, arbitrary: serverPair },
          ),
          { maxLength: 5 },
        )
        .map((parts) => parts.flat()),
    },
    { weight: 2, arbitrary: crowd },
    { weight: 1, arbitrary: junk },
  );

const uuid = fc.nat({ max: 30 }).map((number) => `u${number}`);
const isVirtual = fc.constantFrom(undefined, undefined, undefined, undefined, undefined, undefined, true);

const userMessage = fc.record({
  type: fc.constant('user'),
  uuid,
  content: anyContent(MODEL),
  isVirtual,
});
const assistantMessage = fc.constantFrom<unknown>(MODEL, MODEL, OTHER_MODEL, undefined).chain((model) =>
  fc.record({
    type: fc.constant('assistant'),
    uuid,
    responseId: fc.constantFrom<unknown>('r1', 'r2', 'r3', 'r4', '', undefined, 5),
    model: fc.constant(model),
    content: anyContent(typeof model === 'string' ? model : OTHER_MODEL),
    apiError: fc.constantFrom(...Array.from({ length: 12 }, () => undefined), 'media', 'overflow', 'network'),
    isVirtual,
  }),
);
const attachment = fc.record({
  type: fc.constant('attachment'),
  uuid,
  attachment: fc.oneof(
    fc.record({ kind: fc.constant('queued_command'), commandId: text, prompt: anyContent(MODEL) }),
    fc.record({
      kind: fc.constantFrom(
        'changed_file',
        'memory',
        'instructions',
        'skills',
        'reminder',
        'task_ended',
        'max_turns_reached',
        'no such kind',
      ),
      path: text,
      text,
      note: text,
    }),
    junk,
  ),
});
const aside = fc.oneof(
  fc.record({
    type: fc.constant('system'),
    uuid,
    subtype: fc.constantFrom('informational', 'local_command', 'model_fallback', 'interruption'),
    content: text,
  }),
  fc.record({
    type: fc.constant('tombstone'),
    uuid,
    uuids: fc.oneof(fc.array(uuid, { maxLength: 3 }), junk),
  }),
  fc.constantFrom<unknown>(
    { type: 'progress', uuid: 'p', toolUseId: 'a', data: 1 },
    { type: 'tool_use_summary', uuid: 's', summary: 'x', toolUseIds: [] },
    { type: 'unknown' },
  ),
  junk,
);
const boundary = fc.constant({ type: 'system', uuid: 'b', subtype: 'compact_boundary', content: '' });

const anyMessage: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 20, arbitrary: userMessage },
  { weight: 20, arbitrary: assistantMessage },
  { weight: 5, arbitrary: attachment },
  { weight: 4, arbitrary: aside },
  { weight: 1, arbitrary: boundary },
);

function loadedTool(number: number): unknown {
  const definition = { description: 'Loaded.', input_schema: { type: 'object' } };
  return { type: 'tool_reference', tool_name: `Loaded${number}`, definition };
}

/** A conversation in the form that the loop produces: answers in fragments, and a result for each call. */
export const ordinary: fc.Arbitrary<Message[][]> = fc
  .array(
    fc.record({
      thinks: fc.boolean(),
      says: fc.option(fc.string({ minLength: 1, maxLength: 8 }).map((words) => `say ${words}`)),
      calls: fc.nat({ max: 4 }),
      resultsBetween: fc.boolean(),
      reminded: fc.boolean(),
      media: fc.boolean(),
      loads: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12, size: 'max' },
  )
  .map((rounds) => {
    let count = 0;
    const stamp = () => ({ uuid: `u${count++}`, at: count });
    const steps: unknown[][] = [[{ type: 'user', ...stamp(), content: 'go' }]];
    for (const [index, round] of rounds.entries()) {
      const part = (block: unknown) => ({
        type: 'assistant',
        ...stamp(),
        responseId: `response ${index}`,
        model: MODEL,
        content: [block],
      });
      const step: unknown[] = [];
      if (round.thinks)
        step.push(part({ type: 'thinking', thinking: 'hm', signature: signatures.sign(MODEL, 'hm') }));
      if (round.says !== null || round.calls === 0)
        step.push(part({ type: 'text', text: round.says ?? 'well' }));
      const results: unknown[] = [];
      for (let number = 0; number < round.calls; number++) {
        const id = `call_${index}_${number}`;
        step.push(part({ type: 'tool_use', id, name: 'Read', input: { number } }));
        const picture = [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVk' } },
        ];
        const content = round.media ? picture : round.loads ? [loadedTool(number)] : 'done';
        const answer = {
          type: 'user',
          ...stamp(),
          content: [{ type: 'tool_result', tool_use_id: id, content }],
        };
        (round.resultsBetween ? step : results).push(answer);
      }
      step.push(...results);
      if (round.calls === 0) step.push({ type: 'user', ...stamp(), content: `next ${index}` });
      else if (round.reminded)
        step.push({
          type: 'attachment',
          ...stamp(),
          attachment: { kind: 'reminder', about: 'todo', text: 'note' },
        });
      steps.push(step);
    }
    return steps.map((step) => step.map(broken));
  });

const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('behead' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('drop' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('repeat' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('swap' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), message: anyMessage }),
);

const damaged = fc.tuple(ordinary, fc.array(damage, { minLength: 1, maxLength: 5 })).map(([steps, harms]) => {
  let list: unknown[] = steps.flat();
  for (const harm of harms) {
    const at = harm.at % (list.length + 1);
    const [before, after] = [list.slice(0, at), list.slice(at)];
    switch (harm.kind) {
      case 'cut':
        list = before;
        break;
      case 'behead':
        list = after;
        break;
      case 'drop':
        list = [...before, ...after.slice(1)];
        break;
      case 'repeat':
        list = [...before, ...after.slice(0, 1), ...after];
        break;
      case 'swap':
        list = [...before, ...after.slice(1, 2), ...after.slice(0, 1), ...after.slice(2)];
        break;
      case 'insert':
        list = [...before, harm.message, ...after];
    }
  }
  return list;
});

/** An arbitrary list of messages. */
export const anyHistory: fc.Arbitrary<Message[]> = fc
  .oneof(
    fc.array(anyMessage, { maxLength: 30 }),
    fc.array(anyMessage, { minLength: 12, maxLength: 40, size: 'max' }),
    damaged,
  )
  .map((list) => list.map(broken));
