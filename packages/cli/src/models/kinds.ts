/** The kinds of model this program can reach. */
import { readFile } from 'node:fs/promises';
import type { ModelMaker } from '@heddle/models';
import { systemClock } from '@heddle/agent';
import { configDir } from '../config-dir.ts';

export const modelKinds: Readonly<Record<string, ModelMaker>> = {
  rehearsal: async () => {
    const [{ scriptedModel }, { rehearsal }] = await Promise.all([
      import('@heddle/testing'),
      import('./rehearsal.ts'),
    ]);
    return scriptedModel(rehearsal, { clock: systemClock });
  },
  replay: async (file) => {
    const { placesHere, replayPort } = await import('@heddle/models/recording');
    return replayPort(file, { places: placesHere(configDir(process.env)), clock: systemClock });
  },
  scripted: async (file) => {
    if (file === '') throw new Error('name the file: scripted:FILE');
    const [{ scriptedModel }, text] = await Promise.all([import('@heddle/testing'), readFile(file, 'utf8')]);
    const script: unknown = JSON.parse(text);
    if (!Array.isArray(script)) throw new Error('a script is a JSON list with one step for each call');
    return scriptedModel(script, { clock: systemClock });
  },
};
