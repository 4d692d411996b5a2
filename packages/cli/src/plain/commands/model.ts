/** `/model` and `/effort`. */
import type { Effort } from '@heddle/core';
import { aliasesIn } from '@heddle/models';
import { modelSetup } from '../../headless/model-options.ts';
import { harmless } from '../../terminal/harmless.ts';
import type { Chat } from './command.ts';

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

export async function model(words: string, { options, say, change }: Chat): Promise<void> {
  if (words === '') {
    const aliases = aliasesIn(process.env).map(({ alias }) => alias);
    return say(
      `The model is ${harmless(options.modelName)}. Change it with /model NAME: ${aliases.join(', ')}, or a full name.`,
    );
  }
  const chosen = await modelSetup(words);
  if (!chosen.ok) return say(harmless(chosen.message));
  change(chosen.options);
  say(`The model is ${harmless(chosen.options.modelName)} from the next prompt on.`);
}

export function effort(words: string, { options, say, change }: Chat): void {
  const now = options.requestOptions?.effort;
  if (words === '')
    return say(`The effort is ${now ?? 'left to the model'}. There are ${EFFORTS.join(', ')}.`);
  const wanted = EFFORTS.find((known) => known === words.toLowerCase());
  if (!wanted) return say(`There is no effort ${harmless(words)}. There are ${EFFORTS.join(', ')}.`);
  change({ requestOptions: { ...options.requestOptions, effort: wanted } });
  say(`The effort is ${wanted} from the next prompt on.`);
}
