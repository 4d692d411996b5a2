/**
 * Slash commands of a surface without a terminal. The table says which commands work there; the others are rejected.
 * The model receives none of them.
 */
import { newUuid } from '@heddle/agent';
import type { Agent, Prompt, SdkMessage, SdkResult } from '@heddle/agent';
import type { SlashAnswer, SlashCommand } from '../slash/command.ts';
import { readSlash, slashText } from '../slash/slash-commands.ts';
import type { HeadlessChat } from './headless-chat.ts';
import { rejectedPrompt, settledPrompt } from './prompt-result.ts';

/** The output of a prompt that is a command. Undefined if the prompt is for the model, or for the engine. */
export async function slashLines(
  prompt: Prompt,
  chat: HeadlessChat,
): Promise<readonly SdkMessage[] | undefined> {
  const { agent } = chat.started;
  const text = slashText(prompt);
  const slash = text === undefined ? undefined : readSlash(text, chat.started.extensions);
  switch (slash?.kind) {
    case undefined:
    case 'prompt':
      return undefined;
    case 'unknown':
      // `/etc is full` is a sentence. A single word that starts with a slash was meant as a command.
      return /\s/.test(text ?? '') ? undefined : [rejectCommand(slash.message, agent)];
    case 'command': {
      const { command, words } = slash;
      const isSentence = words !== '' && command.hint === undefined;
      if (isSentence || command.headless === 'engine') return undefined;
      const answer = await answerOf(command, words, chat);
      if (answer === undefined)
        return [rejectCommand(`/${command.name} needs a conversation at a terminal. See /help.`, agent)];
      if (!answer.ok) return [rejectedPrompt(answer.message, agent)];
      const result = { ...settledPrompt(answer.text, agent), local_command: command.name };
      return answer.isReset ? [conversationReset(agent), result] : [result];
    }
  }
}

/** The session keeps its id, so that a host can continue it. */
function conversationReset({ sessionId }: Agent): SdkMessage {
  const stamp = { uuid: newUuid(), session_id: sessionId };
  return { type: 'conversation_reset', ...stamp, new_conversation_id: sessionId, trigger: 'clear' };
}

/** Undefined if the command needs a terminal. */
async function answerOf(
  command: SlashCommand,
  words: string,
  chat: HeadlessChat,
): Promise<SlashAnswer | undefined> {
  if (typeof command.headless === 'function') return command.headless(chat.started, words);
  return command.headless === 'text' ? { ok: true, text: await chat.run(command, words) } : undefined;
}

const ADVICE =
  'As words for the model: --disable-slash-commands, or "client_composed": true beside the prompt.';

function rejectCommand(why: string, agent: Agent): SdkResult {
  return rejectedPrompt(`${why} ${ADVICE}`, agent);
}
