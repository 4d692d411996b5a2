/** What is known of a provider before anything of it is loaded. Data only: the start-up path looks at it. */

/** The formats that answers come in. */
type WireFormat = 'responses' | 'chat' | 'gemini' | 'converse';

export interface Provider {
  /** Stands before the slash in a model's name. */
  readonly id: string;
  /** As people call it. */
  readonly name: string;
  readonly package: PackageName;
  readonly wire: WireFormat;
  /** Variables that may hold its key; the first that is set counts. */
  readonly keys: readonly string[];
  /** What it takes to be usable. `key`: one of the keys. `settings`: all of `settings`. `server`: something that listens. */
  readonly needs: 'key' | 'settings' | 'server';
  /** Further variables that it needs, each with its alternatives. */
  readonly settings?: readonly (readonly string[])[];
  /** Undefined: the package works it out, or there is none but the user's. */
  readonly baseUrl?: string;
  readonly baseUrlVariable: string;
  /** Runs on this machine: it costs nothing, takes its time, and can be asked what it has. */
  readonly local?: LocalServer;
  /** Its name in the price list. */
  readonly prices?: string;
  /** Full names of models that are its own even without its id before them. */
  readonly family?: RegExp;
  /** The model that its id alone means. */
  readonly usual?: string;
  readonly features: Features;
  /** Its models may think for minutes without a word of it. */
  readonly thinksInSilence?: true;
  /** It adds fields of its own to Chat Completions that must go back: see `bridge/answer/extras.ts`. */
  readonly hasExtras?: true;
  /** It says in dollars what an answer cost. */
  readonly tellsCost?: true;
}

interface LocalServer {
  readonly howToStart: string;
  readonly howToList: 'openai' | 'ollama';
}

/** Packages, with the versions that were tried. */
export const PACKAGES = {
  '@ai-sdk/openai': '4.0.114',
  '@ai-sdk/openai-compatible': '3.0.90',
  '@ai-sdk/google': '4.0.117',
  '@ai-sdk/google-vertex': '5.0.98',
  '@ai-sdk/amazon-bedrock': '5.0.101',
  '@ai-sdk/mistral': '4.0.81',
  '@ai-sdk/groq': '4.0.81',
  '@ai-sdk/xai': '5.0.12',
  '@ai-sdk/deepseek': '3.0.56',
} as const;

/** Finds credentials of AWS that are not in the environment. */
export const AWS_CREDENTIALS = { name: '@aws-sdk/credential-providers', version: '3.1164.0' } as const;

type PackageName = keyof typeof PACKAGES;

export function packageOf({ package: name }: Provider): {
  readonly name: PackageName;
  readonly version: string;
} {
  return { name, version: PACKAGES[name] };
}
/** What a provider's wire can hold. What it cannot is dropped or told in words; nothing here depends on a single model. */

export interface Features {
  /** Pictures in user messages. */
  readonly images: boolean;
  /** PDF files in user messages; otherwise a note stands for them. */
  readonly documents: boolean;
  /** Pictures inside results; otherwise they follow in a user message. */
  readonly mediaInResults: boolean;
  /** A user's words may follow results; otherwise they are put into the last result. */
  readonly wordsAfterResults: boolean;
  /** What becomes of its thinking in later turns: sent back as the provider signed it, sent back as text, or left out. */
  readonly thinking: 'signed' | 'text' | 'dropped';
  /** `--effort` and `--thinking` reach it. */
  readonly effort: boolean;
}
