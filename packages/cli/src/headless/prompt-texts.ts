/** The system prompts of the command line, given as they are or in files. */
import { readFile } from 'node:fs/promises';
import type { PromptText, RunOptions } from '../arguments.ts';

export type PromptTexts =
  | { readonly ok: true; readonly own: string | undefined; readonly appended: string | undefined }
  | { readonly ok: false; readonly message: string };

export async function promptTexts({
  systemPrompt,
  appendSystemPrompt,
}: Pick<RunOptions, 'systemPrompt' | 'appendSystemPrompt'>): Promise<PromptTexts> {
  try {
    const [own, appended] = await Promise.all([textOf(systemPrompt), textOf(appendSystemPrompt)]);
    return { ok: true, own, appended };
  } catch (thrown) {
    return {
      ok: false,
      message: `the system prompt cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    };
  }
}

async function textOf(prompt: PromptText | undefined): Promise<string | undefined> {
  return prompt && 'file' in prompt ? readFile(prompt.file, 'utf8') : prompt?.text;
}
