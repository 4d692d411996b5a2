/** The secrets of this program. Everything that tools, commands and logs say goes through this object. */
import type { Environment } from '@heddle/models/environment';
import { Secrets, secretsIn } from '@heddle/models/secrets';
import { modelEnvironment } from './keys.ts';

export const knownSecrets = new Secrets();

/** Called when settings have been read, which may hold keys. `unused`: variables of the settings that are not set. */
export function learnSecrets(unused: Environment = {}): void {
  knownSecrets.add(...secretsIn(modelEnvironment()), ...secretsIn(unused));
}
