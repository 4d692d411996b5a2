/** The model kinds that the program adds to the providers. They need no network. */
import { systemClock } from '@heddle/agent';
import type { ModelMaker } from '@heddle/models';
import { readFile } from 'node:fs/promises';
import { errorCode } from '@heddle/core';
import { configDir } from '../config-dir.ts';
import { modelEnvironment } from '../keys.ts';

export const modelKinds: Readonly<Record<string, ModelMaker>> = {
  rehearsal: async () => {
    const [{ scriptedModel }, { rehearsal }] = await Promise.all([
      import('@heddle/testing/scripted'),
      import('./rehearsal/rehearsal.ts'),
    ]);
    return scriptedModel(rehearsal, { clock: systemClock, window: OWN_WINDOW, script: 'rehearsal' });
  },
  replay: async (file) => {
    const { findMachinePlaces, replayPort } = await import('@heddle/models/recording');
    return replayPort(file, {
      places: findMachinePlaces(configDir(process.env)),
      environment: modelEnvironment(),
      clock: systemClock,
    });
  },
  scripted: async (file) => {
    if (file === '') throw new Error('the file is missing. Use scripted:FILE');
    const [{ parseScript, scriptedModel }, text] = await Promise.all([
      import('@heddle/testing/scripted'),
      readFile(file, 'utf8').catch((thrown: unknown) => {
        const isGone = errorCode(thrown) === 'ENOENT';
        throw isGone ? new Error(`there is no file ${file}`, { cause: thrown }) : thrown;
      }),
    ]);
    const { steps, window = OWN_WINDOW } = parseScript(text);
    return Object.assign(scriptedModel(steps, { clock: systemClock, window, script: file }), { window });
  },
};

/** The context window, in tokens, of the models that this program plays itself. A script may set another value. */
export const OWN_WINDOW = 200_000;
