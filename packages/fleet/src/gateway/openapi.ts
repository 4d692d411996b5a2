/** The OpenAPI description of the gateway, generated from the schemas of its routes. */
import { z } from 'zod';
import { type Route, ROUTES, sessionName } from './routes.ts';

type Json = Readonly<Record<string, unknown>>;

const ERROR = z.strictObject({ error: z.strictObject({ message: z.string() }) });

/** Replies of every route beside its own. */
const FAILURES: Readonly<Record<string, string>> = {
  400: 'The request does not match the schema.',
  401: 'The token is missing, unknown, expired or revoked.',
  403: 'The token does not have the right for this route.',
  404: 'The tenant of the token does not have such a session, turn or question.',
  413: 'The body is too long.',
  429: 'Too many requests. `Retry-After` gives the seconds to wait.',
  503: 'The database is away.',
};

export function openApiDescription(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of ROUTES)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Heddle fleet gateway',
      version: '1',
      description: 'Submit prompts to sessions, watch them, answer their questions and cancel them.',
    },
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
  };
}

function operationOf(route: Route): Json {
  const media = route.isStream ? 'text/event-stream' : 'application/json';
  const failures = Object.entries(FAILURES).map(([status, description]) => [
    status,
    { description, content: contentOf('application/json', ERROR) },
  ]);
  return {
    summary: route.summary,
    description: `Needs the right \`${route.right}\`.`,
    parameters: [...pathParameters(route.path), ...queryParameters(route)],
    ...(route.body
      ? { requestBody: { required: true, content: contentOf('application/json', route.body) } }
      : {}),
    responses: {
      [route.status]: { description: route.summary, content: contentOf(media, route.reply) },
      ...Object.fromEntries(failures),
    },
  };
}

function contentOf(media: string, schema: z.ZodType): Json {
  return { [media]: { schema: jsonSchema(schema) } };
}

function pathParameters(path: string): Json[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'session' ? jsonSchema(sessionName) : { type: name === 'turn' ? 'integer' : 'string' },
  }));
}

function queryParameters({ query }: Route): Json[] {
  const { properties = {} } = query ? z.toJSONSchema(query, { io: 'input' }) : {};
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' });
  return json;
}
