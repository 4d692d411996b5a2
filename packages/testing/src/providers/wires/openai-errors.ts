/** Errors in the format of OpenAI and compatible servers. */
import type { ModelError, ModelErrorClass } from '@heddle/core';
import type { ProviderWireError } from '../wire.ts';

interface Words {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
}

const BAD: Words = {
  status: 400,
  type: 'invalid_request_error',
  code: 'invalid_value',
  message: 'The request was not valid.',
};

const WORDS: Partial<Record<ModelErrorClass, Words>> = {
  overflow: {
    ...BAD,
    code: 'context_length_exceeded',
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 210000 tokens.",
  },
  media: { ...BAD, code: 'invalid_image', message: 'Invalid image: it exceeds the maximum size of 20 MB.' },
  rate_limit: {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached for requests.',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    code: null,
    message: 'The engine is currently overloaded, please try again later.',
  },
  server: { status: 500, type: 'server_error', code: null, message: 'The server had an error.' },
  auth: {
    status: 401,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    message: 'Incorrect API key provided.',
  },
  permission: { status: 403, type: 'invalid_request_error', code: null, message: 'You may not use this.' },
  not_found: {
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: 'The model does not exist or you do not have access to it.',
  },
};

export function openAiError(error: ModelError): ProviderWireError {
  const { status, ...words } = wordsFor(error);
  return { status, body: { error: { ...words, param: null } } };
}

/** The same without a status, for the middle of a stream. */
export function openAiErrorFields(error: ModelError): Omit<Words, 'status'> {
  const { status: _, ...words } = wordsFor(error);
  return words;
}

function wordsFor(error: ModelError): Words {
  return error.message.startsWith('TEST: ')
    ? { ...BAD, message: error.message }
    : (WORDS[error.class] ?? BAD);
}
