/** Suggests the model that an unknown name probably means. */
import { modelsOnServer } from './providers/local.ts';
import { PROVIDERS } from './providers/providers.ts';
import type { Environment } from './secrets/environment.ts';

/** Names that users know from elsewhere. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  aws: 'bedrock',
  'amazon-bedrock': 'bedrock',
  claude: 'anthropic',
  gcp: 'vertex',
  gemini: 'google',
  'google-vertex': 'vertex',
  gpt: 'openai',
  grok: 'xai',
  'x-ai': 'xai',
  'llama.cpp': 'llamacpp',
  'llama-cpp': 'llamacpp',
  'lm-studio': 'lmstudio',
  'vertex-ai': 'vertex',
  litellm: 'openai-compatible',
};

/** Returns a whole name, including the part after the provider. Undefined if no known name is similar. */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  const [, word = '', rest = ''] = /^([^/:]+)(.*)$/s.exec(name.toLowerCase()) ?? [];
  const ids = ['anthropic', ...PROVIDERS.map(({ id }) => id)];
  const id = OTHER_NAMES[word] ?? nearest(word, rest === '' ? [...known, ...ids] : ids);
  return id === undefined ? undefined : `${id}${name.slice(word.length)}`;
}

/** Returns the whole name of a model that a local server offers under this name. */
export async function findServedModel(name: string, environment: Environment): Promise<string | undefined> {
  const asked = PROVIDERS.filter(({ local }) => local !== undefined).map(async (provider) => {
    const served = await modelsOnServer(provider, environment);
    return served?.some(({ id }) => id === name) ? `${provider.id}/${name}` : undefined;
  });
  return (await Promise.all(asked)).find((whole) => whole !== undefined);
}

function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, steps: stepsBetween(word, candidate) }))
    .sort((left, right) => left.steps - right.steps);
  const [first] = ranked;
  return first !== undefined && first.steps <= Math.max(1, word.length / 3) ? first.candidate : undefined;
}

/** Counts letters to change, add or omit. Two adjacent letters that changed places count as one step. */
function stepsBetween(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let to = 1; to <= right.length; to++) {
      const isSame = left[at - 1] === right[to - 1];
      const isSwapped = at > 1 && to > 1 && left[at - 1] === right[to - 2] && left[at - 2] === right[to - 1];
      next[to] = Math.min(
        (row[to] ?? 0) + 1,
        (next[to - 1] ?? 0) + 1,
        (row[to - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[to - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? 0;
}
