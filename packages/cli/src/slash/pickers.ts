/** The lists of `/model` and `/theme`, from which the user selects with the keys or by typing. */
import { setSettingIn } from '@heddle/agent/settings';
import { aliasesIn, listProviders } from '@heddle/models';
import os from 'node:os';
import { modelEnvironment } from '../keys.ts';
import { modelText } from '../start/model-options.ts';
import { again, answered, type Dialog } from '../terminal/dialog.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { tokens } from '../terminal/amounts.ts';
import { AUTO } from '../terminal/theme.ts';
import type { Chat } from './command.ts';
import { model } from './context.ts';

export interface PickedName {
  readonly name: string;
  readonly detail: string;
}

/** The model that needs neither a key nor a network. */
export const REHEARSAL: PickedName = {
  name: 'rehearsal',
  detail: 'answers without a model, to try Heddle',
};

/** Without words it asks, if the screen can show a list. */
export async function modelSlash(words: string, chat: Chat): Promise<void> {
  if (words !== '' || !chat.hasRegion) return model(words, chat);
  const name = await chat.ask(
    nameDialog(
      [`The model is ${escapeControls(modelText(chat.options))}. Which one now?`],
      await usableModels(),
      'model> ',
    ),
  );
  if (name !== undefined) await model(name, chat);
}

/** Aliases first, then the models of the providers that can be used here. Any other name can be typed. */
async function usableModels(): Promise<readonly PickedName[]> {
  const aliases = aliasesIn(modelEnvironment()).map(({ alias, model: meant }) => ({
    name: alias,
    detail: meant,
  }));
  const providers = (await listProviders(modelEnvironment())).filter(({ isUsable }) => isUsable);
  const models = providers.flatMap(({ id, models: known }) =>
    known.map(({ id: name, contextWindow }) => ({
      name: name.startsWith(`${id}/`) ? name : `${id}/${name}`,
      detail: contextWindow === undefined ? '' : `${tokens(contextWindow)} tokens`,
    })),
  );
  return [...aliases, ...models, REHEARSAL];
}

export async function themeSlash(words: string, chat: Chat): Promise<void> {
  const { themes, say, ask, cwd } = chat;
  if (!themes) return say('Themes need a terminal with colors.');
  const listed = themes.names.map((name) => ({
    name,
    detail: name === AUTO ? 'follows the background of the terminal' : name === themes.wanted ? 'in use' : '',
  }));
  const name = words === '' ? await ask(nameDialog(['Which theme?'], listed, 'theme> ')) : words;
  if (name === undefined) return;
  const problem = themes.choose(name);
  if (problem !== undefined) return say(escapeControls(problem));
  const stored = setSettingIn('user', ['theme'], name, { cwd, home: os.homedir(), env: process.env });
  say(stored.ok ? `The theme is ${escapeControls(name)}.` : escapeControls(stored.message));
}

/** Answers with a listed name, or with any other typed name. */
export function nameDialog(
  lines: readonly string[],
  listed: readonly PickedName[],
  prompt: string,
): Dialog<string> {
  const dialog: Dialog<string> = {
    lines,
    choices: listed.map(({ name, detail }, index) => ({
      key: String(index + 1),
      text: escapeControls(name),
      detail: escapeControls(detail),
    })),
    prompt,
    isSearchable: true,
    read(typed) {
      const text = typed.trim();
      const chosen = /^\d{1,3}$/.test(text) ? listed[Number(text) - 1]?.name : text;
      return chosen ? answered(chosen) : again(dialog, 'Type a number or a name.');
    },
  };
  return dialog;
}
