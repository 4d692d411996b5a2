/** Heddle offers servers its folders, questions to the user, and answers of the model. Each is optional. */
import type {
  Client,
  ClientCapabilities,
  CreateMessageRequestParams,
  ElicitRequestParams,
} from '@modelcontextprotocol/client';
import { isRecord, type JsonObject, omitUndefined } from '@heddle/core';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { cleanLine, cleanText } from '../server-text.ts';

export interface ElicitationQuestion {
  readonly server: string;
  readonly message: string;
  /** A form to fill in, as a flat JSON schema. */
  readonly schema?: JsonObject;
  /** An address for the user to visit, in place of a form. */
  readonly url?: string;
  readonly id?: string;
}

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, FormValue>> }
  | { readonly action: 'decline' | 'cancel' };

type FormValue = string | number | boolean | string[];

export interface SamplingQuestion {
  readonly server: string;
  readonly systemPrompt?: string;
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
}

interface SamplingMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export interface SamplingAnswer {
  readonly model: string;
  readonly text: string;
  readonly stopReason?: string;
}

export interface ClientServices {
  /** The folders that servers may work in. */
  readonly roots?: () => readonly string[];
  /** Asks the user. Waits as long as the user takes. */
  readonly elicit?:
    | ((question: ElicitationQuestion, signal: AbortSignal) => Promise<ElicitationAnswer>)
    | undefined;
  /** Asks the user for consent, then the model. Throws if it is refused. */
  readonly sample?:
    | ((question: SamplingQuestion, signal: AbortSignal) => Promise<SamplingAnswer>)
    | undefined;
}

/** Only features with a handler are advertised. */
export function capabilitiesOf({ roots, elicit, sample }: ClientServices): ClientCapabilities {
  return {
    ...(roots ? { roots: { listChanged: true } } : {}),
    ...(elicit ? { elicitation: { form: { applyDefaults: true }, url: {} } } : {}),
    ...(sample ? { sampling: {} } : {}),
  };
}

/** Registers the handlers. `whileAsking` runs each question; the time limit of the open call stops meanwhile. */
export function registerServices(
  client: Client,
  server: string,
  { roots, elicit, sample }: ClientServices,
  whileAsking: <T>(question: () => Promise<T>) => Promise<T>,
): void {
  if (roots)
    client.setRequestHandler('roots/list', () => ({
      roots: roots().map((folder) => ({ uri: pathToFileURL(folder).href, name: path.basename(folder) })),
    }));
  if (elicit)
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      const answer = await whileAsking(() => elicit(elicitationOf(server, params), mcpReq.signal));
      // A visited address has no values.
      return params.mode === 'url' ? { action: answer.action } : answer;
    });
  if (sample)
    client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
      const answer = await whileAsking(() => sample(samplingOf(server, params), mcpReq.signal));
      return {
        role: 'assistant' as const,
        model: answer.model,
        content: { type: 'text' as const, text: answer.text },
        ...omitUndefined({ stopReason: answer.stopReason }),
      };
    });
}

function elicitationOf(server: string, params: ElicitRequestParams): ElicitationQuestion {
  const message = cleanText(params.message);
  if (params.mode === 'url')
    return { server, message, url: cleanLine(params.url, 2_000), id: params.elicitationId };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library has checked that it is a JSON object
  return { server, message, schema: params.requestedSchema as unknown as JsonObject };
}

function samplingOf(server: string, params: CreateMessageRequestParams): SamplingQuestion {
  const messages = params.messages.map(({ role, content }) => ({ role, text: textIn(content) }));
  return {
    server,
    messages,
    maxTokens: params.maxTokens,
    ...(params.systemPrompt === undefined ? {} : { systemPrompt: cleanText(params.systemPrompt) }),
  };
}

function textIn(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => {
      if (!isRecord(part)) return '';
      const text = part['text'];
      return typeof text === 'string' ? cleanText(text) : `[${String(part['type'])}]`;
    })
    .join('\n');
}

/** Reads an answer that a host or a form gave. Anything unknown is a refusal. */
export function readElicitation({ action, content }: Readonly<Record<string, unknown>>): ElicitationAnswer {
  if (action === 'cancel') return { action };
  if (action !== 'accept') return { action: 'decline' };
  const values = Object.entries(isRecord(content) ? content : {}).filter(
    (entry): entry is [string, FormValue] => isFormValue(entry[1]),
  );
  return { action, content: Object.fromEntries(values) };
}

function isFormValue(value: unknown): value is FormValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
