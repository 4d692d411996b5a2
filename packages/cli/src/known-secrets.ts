/** The secrets of this program. Everything that tools, commands and logs say goes through this object. */
import { Secrets, secretsIn } from '@heddle/models/secrets';
import { modelEnvironment } from './keys.ts';

export const knownSecrets = new Secrets();

/** Called when settings have been read, which may hold keys. */
export function learnSecrets(): void {
  knownSecrets.add(...secretsIn(modelEnvironment()));
}
