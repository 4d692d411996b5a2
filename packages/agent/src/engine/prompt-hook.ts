/**
 * A prompt before it is stored: a command becomes its text, a hook may block it or add context, and files that it names are
 * read.
 */
import {
  type Attachment,
  type ContentBlock,
  errorMessage,
  type FileStateCache,
  textOf,
  type TurnModel,
  type UsedCommand,
  type UserMessage,
} from '@heddle/core';
import type { SdkMessage, SdkResult } from '../sdk/message.ts';
import type { LineStamp } from './lines.ts';
import type { AgentOptions, PromptHookAnswer } from './options.ts';
import { unaskedFilesOf, unattachedFilesOf } from './permission.ts';

export interface Prompt {
  readonly content: string | readonly ContentBlock[];
  /** The id that the host chose; a new one by default. */
  readonly uuid?: string;
  /** Queued prompts whose texts are part of this one. */
  readonly carries?: readonly string[];
  /** The text is for the model. No command is read from it. */
  readonly verbatim?: boolean;
  /** The text is of a file and not of the user. No command is read from it, and it names only files of the working folder. */
  readonly isOfFile?: boolean;
}

/** Whether the words are those of the user, so that a command in them counts. */
export function mayBeCommand({ verbatim, isOfFile }: Pick<Prompt, 'verbatim' | 'isOfFile'>): boolean {
  return verbatim !== true && isOfFile !== true;
}

export interface PreparedPrompt extends PromptHookAnswer {
  readonly content: UserMessage['content'];
  /** The files that the prompt names with `@`. */
  readonly files: readonly Attachment[];
  /** The model and the effort of its command. The options of the agent already have them. */
  readonly turnModel?: TurnModel | undefined;
  readonly usedCommand?: UsedCommand | undefined;
}

export async function preparePrompt(
  options: AgentOptions,
  prompt: Prompt,
  { signal, fileState }: { readonly signal: AbortSignal; readonly fileState: FileStateCache },
): Promise<PreparedPrompt> {
  const { cwd, redact = (value) => value } = options;
  const { content: given, verbatim } = prompt;
  const isOfUser = mayBeCommand(prompt);
  const expanded = isOfUser ? await options.expandPrompt?.(given, signal, options) : undefined;
  // The words of the user stay as they are. Output of commands and text of servers may contain a key.
  const content = expanded === undefined || expanded.content === given ? given : redact(expanded.content);
  if (expanded?.block !== undefined) return { block: redact(expanded.block), content: given, files: [] };
  const submitted = await promptHookAnswer(options, content, { isOfUser, signal });
  const contexts = [expanded?.context, submitted.context].filter((text) => text !== undefined);
  const context = contexts.length === 0 ? undefined : redact(contexts.join('\n\n'));
  const { turnModel, usedCommand } = expanded ?? {};
  const answer = { ...submitted, context, turnModel, usedCommand };
  if (verbatim || answer.block !== undefined || !textIn(content).includes('@'))
    return { ...answer, content, files: [] };
  const { mentionedFiles } = await import('../attachments/mentions.ts');
  const rules = {
    deniedFiles: unattachedFilesOf(options, cwd),
    unaskedFiles: unaskedFilesOf(options, cwd),
  };
  const written = isOfUser ? textIn(expanded?.typed ?? given) : '';
  const setup = { cwd, written, fileState, signal, ...rules };
  return { ...answer, content, files: redact(await mentionedFiles(content, setup)) };
}

function textIn(content: UserMessage['content']): string {
  return typeof content === 'string' ? content : textOf(content);
}

/** A hook that throws blocks the prompt: a guard that cannot answer must not let it pass. */
async function promptHookAnswer(
  { hooks, redact = (value) => value }: AgentOptions,
  content: UserMessage['content'],
  about: { readonly isOfUser: boolean; readonly signal: AbortSignal },
): Promise<PromptHookAnswer> {
  const text = textIn(content);
  try {
    return redact((await hooks?.prompt?.({ text, ...about })) ?? {});
  } catch (thrown) {
    return { block: `A hook failed: ${errorMessage(thrown)}` };
  }
}

/** The lines of a prompt that a hook blocked: a warning, and a result without a run. */
export function* blockedPromptLines(
  reason: string,
  failedStart: SdkResult,
  stamp: LineStamp,
): Generator<SdkMessage> {
  const content = `A hook blocked this prompt: ${reason}`;
  yield {
    type: 'system',
    subtype: 'informational',
    ...stamp,
    content,
    level: 'warning',
    prevent_continuation: true,
  };
  const { errors: _errors, terminal_reason: _reason, ...line } = failedStart;
  yield { ...line, subtype: 'success', is_error: false, result: content };
}
