/** Describes events beside the answer, each in one line. */
import type {
  AttachmentMessage,
  ContextReport,
  LoopEvent,
  ModelError,
  ModelErrorClass,
  SystemMessage,
  Transition,
} from '@heddle/core';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { shortened, durationText, tokens } from '../../terminal/amounts.ts';

const MAX_NOTE_LENGTH = 200;

/** Describes each error class for the user. */
const ERROR_TEXTS: Readonly<Record<ModelErrorClass, string>> = {
  overflow: 'the conversation is too long',
  media: 'an image or document was refused',
  output_cap: 'the answer was cut',
  rate_limit: 'rate limit reached',
  overloaded: 'overloaded',
  server: 'the server failed',
  auth: 'the key was refused',
  permission: 'not permitted',
  not_found: 'the model was not found',
  network: 'the connection broke',
  stall: 'no sign of life',
  refusal: 'refused',
  bad_request: 'the request was refused',
  refused_block: 'a part of the conversation was refused',
  empty: 'an empty answer',
  aborted: 'interrupted',
  internal: 'an internal error',
};

/** `shown`: the message of the server in the previous note, which is not repeated. */
export function retryNote(
  { error, delayMs, attempt, maxAttempts }: Pick<RetryEvent, 'error' | 'delayMs' | 'attempt' | 'maxAttempts'>,
  shown?: string,
): string {
  const wait = delayMs < 50 ? 'now' : `in ${durationText(delayMs).replace('.0 s', ' s')}`;
  const words = serverWords(error);
  const what = words === undefined || words === shown ? '' : ` (${words})`;
  return `${ERROR_TEXTS[error.class]}${what}, trying again ${wait} (${attempt} of ${maxAttempts})`;
}

type RetryEvent = Extract<LoopEvent, { type: 'retry' }>;

/** Extracts the status and the text of the server from an error message. Undefined if they add nothing to the class. */
export function serverWords({ class: about, status, message }: ModelError): string | undefined {
  const [, inside] = /\((\d{3}: [^()]+)\)/.exec(message) ?? [];
  const [sentence = ''] = message.replace(/^No connection to /, '').split(/\.(?:\s|$)/);
  const text = escapeControls(shortened(inside ?? sentence, MESSAGE_LENGTH));
  const isSame = text === '' || text.replace(/^\d{3}: /, '').toLowerCase() === ERROR_TEXTS[about];
  if (isSame) return status === undefined ? undefined : String(status);
  return status === undefined || text.includes(String(status)) ? text : `${status}: ${text}`;
}

const MESSAGE_LENGTH = 120;

export function transitionNote(transition: Transition): string | undefined {
  switch (transition.reason) {
    // The results or the context note describe it.
    case 'next_turn':
    case 'collapse_drain_retry':
    case 'reactive_compact_retry':
      return undefined;
    case 'max_output_tokens_escalate':
      return 'the answer was cut at the output limit; the request is repeated with a higher limit';
    case 'max_output_tokens_recovery':
      return 'the answer was cut at the output limit; the model is asked to continue it';
    case 'stop_hook_blocking':
      return 'a stop hook sent the model back to work';
    case 'token_budget_continuation':
      return `${transition.percentUsed} % of the token budget is used; continuing`;
  }
}

const LEVELS: Readonly<Record<ContextReport['level'], string>> = {
  tool_result_budget: 'large results were moved into files',
  snip: 'old rounds were left out',
  microcompact: 'old results were shortened',
  cached_microcompact: 'the server cleared old results',
  collapse: 'a finished part of the work was summarized',
  drain: 'finished parts of the work were summarized',
  autocompact: 'the conversation was compacted',
  reactive_compact: 'the conversation was too long, and was compacted',
  manual_compact: 'the conversation was compacted',
};

export function contextNote({ level, tokensBefore, tokensAfter, details }: ContextReport): string {
  const failed = details?.['failed'];
  if (typeof failed === 'string')
    return `compaction failed: ${escapeControls(shortened(failed, MAX_NOTE_LENGTH))}`;
  return `${LEVELS[level]} (${tokens(tokensBefore)} to ${tokens(tokensAfter)} tokens)`;
}

/** Formats a message of the loop. Boundaries and interruptions are shown elsewhere. */
export function systemNote({ subtype, content }: SystemMessage): string | undefined {
  switch (subtype) {
    case 'informational':
    case 'model_fallback':
    case 'local_command':
      return escapeControls(shortened(content, MAX_NOTE_LENGTH));
    case 'compact_boundary':
    case 'interruption':
    case 'collapse':
    case 'microcompact_boundary':
      return undefined;
    default:
      return undefined;
  }
}

export function attachmentNote({ attachment }: AttachmentMessage): string | undefined {
  switch (attachment.kind) {
    case 'changed_file':
      return `${escapeControls(attachment.path)} changed on disk; the model was told`;
    case 'memory':
      return `remembered: ${escapeControls(attachment.path)}`;
    case 'instructions':
      return `instructions: ${escapeControls(attachment.path)} (${escapeControls(attachment.reason)})`;
    case 'reminder':
      if (attachment.about === 'repetition')
        return 'the same call keeps giving the same result; the model was told';
      // Most other reminders are only for the model. A new working directory also matters to the user.
      return attachment.about === 'hook' || attachment.text.startsWith('The working directory ')
        ? escapeControls(shortened(attachment.text, MAX_NOTE_LENGTH))
        : undefined;
    case 'hook_stopped_continuation':
      return `stopped by a hook: ${escapeControls(shortened(attachment.reason, MAX_NOTE_LENGTH))}`;
    // A queued prompt is shown as a prompt, and the limit at the end of the turn.
    default:
      return undefined;
  }
}
