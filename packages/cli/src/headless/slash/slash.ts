/**
 * Slash commands where there is no conversation at a terminal: those that make sense there are answered, all others are
 * refused. None of them is words for the model. `/compact` is the engine's own.
 */
import type { Agent, Prompt, SdkResult } from '@heddle/agent';
import { readSlash } from '../../plain/commands/table.ts';
import { refusedPrompt, settledPrompt } from '../without-turn.ts';
import { answerOf } from './answers.ts';
import { slashText } from './commands.ts';

/** The result of a prompt that is a command; undefined where it is for the model, or for the engine. */
export async function slashResult(prompt: Prompt, agent: Agent): Promise<SdkResult | undefined> {
  const text = slashText(prompt);
  const slash = text === undefined ? undefined : readSlash(text);
  switch (slash?.kind) {
    case undefined:
      return undefined;
    case 'unknown':
      // `/etc is full` is a sentence; a word alone that begins so was meant as a command.
      return /\s/.test(text ?? '') ? undefined : refused(slash.message, agent);
    case 'command': {
      const { command, words } = slash;
      const isSentence = words !== '' && command.hint === undefined;
      if (isSentence || command.name === 'compact') return undefined;
      const answer = await answerOf(command.name, agent);
      if (answer === undefined)
        return refused(`/${command.name} needs a conversation at a terminal. See /help.`, agent);
      if (!answer.ok) return refusedPrompt(answer.message, agent);
      return { ...settledPrompt(answer.text, agent), local_command: command.name };
    }
  }
}

const ADVICE =
  'As words for the model: --disable-slash-commands, or "client_composed": true beside the prompt.';

function refused(why: string, agent: Agent): SdkResult {
  return refusedPrompt(`${why} ${ADVICE}`, agent);
}
