/** What happens beside the answer, each as one line that a person understands. */
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

const LONGEST = 200;

/** Error classes in the words of the person who waits. */
const TROUBLES: Readonly<Record<ModelErrorClass, string>> = {
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

/** `said`: what the note before it said of the same trouble, which is not said again. */
export function retryNote(
  { error, delayMs, attempt, maxAttempts }: Pick<RetryEvent, 'error' | 'delayMs' | 'attempt' | 'maxAttempts'>,
  said?: string,
): string {
  const wait = delayMs < 50 ? 'now' : `in ${durationText(delayMs).replace('.0 s', ' s')}`;
  const words = serverWords(error);
  const what = words === undefined || words === said ? '' : ` (${words})`;
  return `${TROUBLES[error.class]}${what}, trying again ${wait} (${attempt} of ${maxAttempts})`;
}

type RetryEvent = Extract<LoopEvent, { type: 'retry' }>;

/** Status and text of the server, out of a sentence that also says what to do; undefined where they say no more than the class. */
export function serverWords({ class: about, status, message }: ModelError): string | undefined {
  const [, inside] = /\((\d{3}: [^()]+)\)/.exec(message) ?? [];
  const [sentence = ''] = message.replace(/^No connection to /, '').split(/\.(?:\s|$)/);
  const text = escapeControls(shortened(inside ?? sentence, MESSAGE_LENGTH));
  const isSame = text === '' || text.replace(/^\d{3}: /, '').toLowerCase() === TROUBLES[about];
  if (isSame) return status === undefined ? undefined : String(status);
  return status === undefined || text.includes(String(status)) ? text : `${status}: ${text}`;
}

const MESSAGE_LENGTH = 120;

export function transitionNote(transition: Transition): string | undefined {
  switch (transition.reason) {
    // The results, or the context step, say it better.
    case 'next_turn':
    case 'collapse_drain_retry':
    case 'reactive_compact_retry':
      return undefined;
    case 'max_output_tokens_escalate':
      return 'the answer was cut at its limit; asked again with more room';
    case 'max_output_tokens_recovery':
      return 'the answer was cut at its limit; asked to go on where it broke off';
    case 'stop_hook_blocking':
      return 'a stop hook sent the model back to work';
    case 'token_budget_continuation':
      return `${transition.percentUsed} % of the token budget used; going on`;
  }
}

const LEVELS: Readonly<Record<ContextReport['level'], string>> = {
  tool_result_budget: 'large results were moved into files',
  snip: 'old rounds were left out',
  microcompact: 'old results were shortened',
  cached_microcompact: 'the server cleared old results',
  collapse: 'a finished stretch of work was summarised',
  drain: 'finished stretches of work were summarised',
  autocompact: 'the conversation was compacted',
  reactive_compact: 'the conversation was too long, and was compacted',
  manual_compact: 'the conversation was compacted',
};

export function contextNote({ level, tokensBefore, tokensAfter, details }: ContextReport): string {
  const failed = details?.['failed'];
  if (typeof failed === 'string') return `compaction failed: ${escapeControls(shortened(failed, LONGEST))}`;
  return `${LEVELS[level]} (${tokens(tokensBefore)} to ${tokens(tokensAfter)} tokens)`;
}

/** What the loop itself says. Boundaries and interruptions are told elsewhere. */
export function systemNote({ subtype, content }: SystemMessage): string | undefined {
  switch (subtype) {
    case 'informational':
    case 'model_fallback':
    case 'local_command':
      return escapeControls(shortened(content, LONGEST));
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
    case 'reminder':
      if (attachment.about === 'repetition')
        return 'the same call keeps giving the same result; the model was told';
      // Of the rest most are words for the model; where commands run from now on is of use to its user, too.
      return attachment.about === 'hook' || attachment.text.startsWith('The working directory ')
        ? escapeControls(shortened(attachment.text, LONGEST))
        : undefined;
    case 'hook_stopped_continuation':
      return `stopped by a hook: ${escapeControls(shortened(attachment.reason, LONGEST))}`;
    // A queued prompt is shown as what it is; the limit is told by the end of the turn.
    default:
      return undefined;
  }
}
