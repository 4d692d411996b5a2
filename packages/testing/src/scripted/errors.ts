/** The Messages API's status and message for each error class. */
import type { ModelError, ModelErrorClass } from '@heddle/core';

export type ErrorDetails = Partial<Omit<ModelError, 'type' | 'class'>>;

export function errorOf(errorClass: ModelErrorClass, details: ErrorDetails = {}): ModelError {
  const usual = errorClass === 'refused_block' ? refusedBlock(details.block) : USUAL[errorClass];
  return { type: 'model_error', class: errorClass, ...usual, ...details };
}

function refusedBlock(block: ModelError['block'] = { message: 0, block: 0 }) {
  const path = `messages.${block.message}.content.${block.block}`;
  return { status: 400, message: `${path}: Invalid \`signature\` in \`thinking\` block`, block };
}

const USUAL: Readonly<
  Record<Exclude<ModelErrorClass, 'refused_block'>, { readonly message: string; readonly status?: number }>
> = {
  overflow: { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  media: {
    status: 400,
    message:
      'messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
  },
  output_cap: { message: 'The answer was cut at the output cap' },
  rate_limit: { status: 429, message: 'This request would exceed your rate limit' },
  overloaded: { status: 529, message: 'Overloaded' },
  server: { status: 500, message: 'Internal server error' },
  auth: { status: 401, message: 'invalid x-api-key' },
  permission: { status: 403, message: 'Your API key does not have permission to use this model' },
  not_found: { status: 404, message: 'model: not found' },
  network: { message: 'The connection was lost' },
  stall: { message: 'The model sent nothing for too long' },
  refusal: { message: 'The model refused to answer' },
  bad_request: { status: 400, message: 'The request was not valid' },
  empty: { message: 'The model answered with nothing' },
  internal: { message: 'Something went wrong in our own code' },
  aborted: { message: 'The call was aborted' },
};
