/** A bug of ours, told as an error: it ends the attempt, not the program. */
import type { ModelError } from '@heddle/core';
import type { Secrets } from '../secrets/secrets.ts';

export function internalError(thrown: unknown, secrets: Secrets): ModelError {
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'something that is no error';
  return {
    type: 'model_error',
    class: 'internal',
    message: secrets.redact(`The call failed because of a bug in Heddle (${what}). Please report it.`),
  };
}
