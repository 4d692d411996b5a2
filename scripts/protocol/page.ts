/** Prints docs/protocol.md from the schemas of the messages and control requests. Pure. */
import { isRecord } from '@heddle/core';
import { FRAMES, HOST_REQUESTS, PROGRAM_REQUESTS } from '@heddle/agent/frames';
import * as z from 'zod';

export function protocolPage(): string {
  return [
    '# Messages and control requests',
    '',
    'Written by `npm run docs:protocol` from the schemas in `packages/agent/src/sdk`. Do not edit.',
    '',
    '`heddle --output-format stream-json` writes one JSON object per line. [embedding.md](embedding.md#as-a-process-json-lines) describes how',
    "to use them. A TypeScript host can check lines with the schemas: `import { FRAMES } from '@heddle/agent/frames'`.",
    '',
    '## Messages',
    '',
    'Every message has `uuid` and `session_id`. Fields with `?` may be absent.',
    ...Object.values(FRAMES).flatMap(messageSection),
    '',
    '## Requests of a host',
    '',
    'A request is `{"type":"control_request","request_id":…,"request":{"subtype":…}}`. Each gets one `control_response` with the same',
    '`request_id`: `success` with the fields below, or `error` with a sentence. An unknown subtype gets an error with the code',
    '`unsupported_request`.',
    ...Object.entries(HOST_REQUESTS).flatMap(requestSection),
    '',
    '## Requests of the program',
    '',
    'The host answers with a `control_response`. An obsolete request is withdrawn with `control_cancel_request`.',
    ...Object.entries(PROGRAM_REQUESTS).flatMap(requestSection),
    '',
  ].join('\n');
}

type Fields = readonly (readonly [
  name: string,
  schema: Readonly<Record<string, unknown>>,
  isOptional: boolean,
])[];

function messageSection(frame: z.ZodType): string[] {
  const schema = schemaOf(frame);
  const fields = fieldsOf(schema).filter(
    ([name]) => !['uuid', 'session_id', 'type', 'subtype'].includes(name),
  );
  const constant = (name: string): string => {
    const property = fieldsOf(schema).find(([field]) => field === name)?.[1];
    return typeof property?.['const'] === 'string' ? property['const'] : '';
  };
  const subtype = constant('subtype');
  const title = subtype === '' ? constant('type') : `${constant('type')}/${subtype}`;
  return ['', `### ${title}`, '', descriptionOf(schema), '', ...table(fields)];
}

function requestSection([name, { request, effect, ...rest }]: readonly [
  string,
  { readonly request: z.ZodType; readonly response?: z.ZodType; readonly effect: string },
]): string[] {
  const asked = fieldsOf(schemaOf(request));
  const response = 'response' in rest && rest.response ? schemaOf(rest.response) : undefined;
  const given = response === undefined ? [] : alternatives(response);
  return [
    '',
    `### ${name}`,
    '',
    `${effect[0]?.toUpperCase()}${effect.slice(1)}.`,
    ...(asked.length === 0 ? [] : ['', ...table(asked)]),
    ...(given.length === 0 ? [] : ['', `Reply: ${given.join(' or ')}`]),
  ];
}

function table(fields: Fields): string[] {
  return [
    '| field | type | meaning |',
    '|---|---|---|',
    ...fields.map(
      ([name, schema, isOptional]) =>
        `| \`${name}${isOptional ? '?' : ''}\` | ${typeText(schema).replaceAll('|', '\\|')} | ${descriptionOf(schema)} |`,
    ),
  ];
}

/** The fields of each form that a reply may have. */
function alternatives(schema: Readonly<Record<string, unknown>>): string[] {
  const forms = Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isRecord) : [schema];
  return forms
    .map((form) => fieldsOf(form).map(([name, , isOptional]) => `\`${name}${isOptional ? '?' : ''}\``))
    .filter((names) => names.length > 0)
    .map((names) => names.join(', '));
}

function descriptionOf({ description }: Readonly<Record<string, unknown>>): string {
  return typeof description === 'string' ? description : '';
}

function schemaOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
}

function fieldsOf(schema: Readonly<Record<string, unknown>>): Fields {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return Object.entries(properties).map(([name, property]) => [
    name,
    isRecord(property) ? property : {},
    !required.has(name),
  ]);
}

function typeText(schema: Readonly<Record<string, unknown>>): string {
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(schema['anyOf']))
    return [...new Set(schema['anyOf'].filter(isRecord).map(typeText))].join(' | ');
  switch (schema['type']) {
    case 'array':
      return `list of ${isRecord(schema['items']) ? typeText(schema['items']) : 'values'}`;
    case 'object':
      return objectText(schema);
    case undefined:
      return 'JSON';
    default:
      return [schema['type']].flat().join(' | ');
  }
}

function objectText(schema: Readonly<Record<string, unknown>>): string {
  const names = fieldsOf(schema).map(([name, , isOptional]) => `${name}${isOptional ? '?' : ''}`);
  return names.length === 0 ? 'object' : `{ ${names.join(', ')} }`;
}
