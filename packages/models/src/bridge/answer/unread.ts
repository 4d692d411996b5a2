/** What a package could not read of a stream, looked at a second time. */

/** The stream ended without a reason; some packages tell it as an error of the data. */
export function isBreakOff(error: unknown): boolean {
  return error instanceof Error && /ended without a finish reason/.test(error.message);
}

/**
 * An event of a kind that the package has not heard of yet. It is left out, as everybody leaves out what he does not know;
 * unless it may be a part of the answer.
 */
export function isUnknownEvent(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'AI_TypeValidationError' || !('value' in error))
    return false;
  const { value } = error;
  if (typeof value !== 'object' || value === null || !('type' in value) || 'error' in value) return false;
  return (
    typeof value.type === 'string' && /[._]|^(ping|keepalive)$/.test(value.type) && !CARRIES.test(value.type)
  );
}

/** Kinds of which a piece of the answer, or its end, may be made. */
const CARRIES = /(delta|done|added|created|completed|incomplete|failed|cancelled)$/;
