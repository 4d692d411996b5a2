/**
 * The first start, while no model is configured: shows which keys and servers were found, and lets the user choose a model.
 * The choice is stored in the user's settings.
 */
import { VERSION } from '@heddle/agent';
import { setSettingIn } from '@heddle/agent/settings';
import { type ListedProvider, listProviders } from '@heddle/models';
import os from 'node:os';
import type { ChatCommand } from '../arguments/arguments.ts';
import { modelEnvironment } from '../keys.ts';
import { NO_MODEL_MESSAGE } from '../models/no-model.ts';
import { LineScreen } from '../terminal/line-screen.ts';
import { RichScreen } from '../rich/rich-screen.ts';
import { nameDialog, type PickedName, REHEARSAL } from '../slash/pickers.ts';
import { agentOptions, type OptionsRead } from '../start/agent-options.ts';
import { tokens } from '../terminal/amounts.ts';
import type { Dialog } from '../terminal/dialog.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { Recall } from '../terminal/input/prompt-history.ts';
import type { Screen } from '../terminal/screen.ts';
import { styleFor } from '../terminal/style.ts';
import { warn, writeMessage } from '../terminal/write-message.ts';
import { createQuestionQueue } from './questions/question-queue.ts';

/** A screen of lines shows all choices at once, so it gets fewer of them. */
const MAX_PRINTED = 20;

/** Asks until a model can be used. Returns the message about the missing model if the user leaves. */
export async function firstStart(given: ChatCommand, plain: boolean): Promise<OptionsRead<ChatCommand>> {
  const providers = await listProviders(modelEnvironment());
  const listed = listModels(providers);
  const lines = describeFound(providers);
  const dialog = nameDialog(lines, plain ? listed.slice(0, MAX_PRINTED) : listed, 'model> ');
  for (;;) {
    const model = await askOnce(dialog, plain);
    if (model === undefined) return { ok: false, message: NO_MODEL_MESSAGE };
    const options = await agentOptions({ ...given, model });
    if (options.ok) {
      writeMessage(`${storeModel(model)}\n`);
      return options;
    }
    warn(options.message);
  }
}

/** Models of servers on this machine first. Then the rehearsal, because keys without a default model may serve others. */
function listModels(providers: readonly ListedProvider[]): readonly PickedName[] {
  const usable = providers.filter(({ isUsable }) => isUsable);
  const namesOf = (from: readonly ListedProvider[]): readonly PickedName[] =>
    from.flatMap(({ name, models }) =>
      models.map(({ id, contextWindow }) => ({
        name: id,
        detail: [name, ...(contextWindow === undefined ? [] : [`${tokens(contextWindow)} tokens`])].join(
          ', ',
        ),
      })),
    );
  return [...namesOf(usable.filter(isServer)), REHEARSAL, ...namesOf(usable.filter((one) => !isServer(one)))];
}

/** Only a server on this machine is usable because of its address. */
function isServer({ because = '' }: ListedProvider): boolean {
  return because.startsWith('running at ');
}

/** The lines above the choices. */
function describeFound(providers: readonly ListedProvider[]): readonly string[] {
  const found = providers
    .filter(({ isUsable }) => isUsable)
    .map((provider) => {
      const { name, because = '', models } = provider;
      const reason = isServer(provider) ? because : `by ${because}`;
      return `Found ${name}, ${reason}${models.length === 0 ? ', without a list of models' : ''}.`;
    });
  const blocked = providers
    .filter(({ isUsable, problem, models }) => !isUsable && problem === undefined && models.length > 0)
    .map(({ name, advice = '' }) => `Found ${name}, which needs a package. Run: ${advice}`);
  const all = [...found, ...blocked].map(escapeControls);
  return [
    `Welcome to Heddle ${VERSION}. No model is configured yet.`,
    ...(all.length === 0 ? ['Found no key in the environment, and no model server on this machine.'] : all),
    'For Claude, GPT, Gemini and others: leave with Ctrl-C and set a key,',
    'such as ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY. Or start Ollama.',
    'Which model should answer now? Select one, or type a name such as ollama/NAME.',
  ];
}

/** Opens a screen for one question. A message about the options can be written after it is closed. */
async function askOnce(dialog: Dialog<string>, plain: boolean): Promise<string | undefined> {
  const { stdin, stdout, env } = process;
  const style = styleFor({ plain, env });
  const screen: Screen = plain
    ? new LineScreen(stdin, stdout)
    : new RichScreen(stdin, stdout, {
        style,
        env,
        cwd: process.cwd(),
        recall: new Recall(),
        commands: [],
        complete: () => ({ kind: 'nothing' }),
      });
  // The terminal is restored by the handlers of the exit.
  const end = (_signal: string, number: number): void => process.exit(128 + number);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, end);
  try {
    const questions = createQuestionQueue({ screen, style, prompt: () => '' });
    const leave = (): void => questions.dismiss();
    screen.listen({
      line: (text) => questions.read(text),
      touched: () => undefined,
      interrupt: leave,
      escape: leave,
      nextMode: () => undefined,
      takeQueued: () => undefined,
      end: leave,
      gone: leave,
    });
    return await questions.ask(dialog);
  } finally {
    for (const signal of signals) process.off(signal, end);
    screen.close();
  }
}

/** Stores the choice. Returns a message about it. The rehearsal is not stored, because it would hide a key that is set later. */
function storeModel(model: string): string {
  if (model === REHEARSAL.name)
    return 'The rehearsal answers in this conversation. The next start asks again.';
  const places = { cwd: process.cwd(), home: os.homedir(), env: process.env };
  const stored = setSettingIn('user', ['model'], model, places);
  const name = escapeControls(model);
  if (!stored.ok) return escapeControls(`The model is ${name} in this conversation. ${stored.message}`);
  return `The model is ${name}, stored in ${escapeControls(stored.file)}. Change it with: heddle config set model NAME`;
}
