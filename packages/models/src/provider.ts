/**
 * Data about a provider that is known before its package is loaded. The start-up path reads it, so it
 * contains no code.
 */

/** The wire formats of responses. */
type WireFormat = 'responses' | 'chat' | 'gemini' | 'converse';

export interface Provider {
  /** The part before the slash in a model's name. */
  readonly id: string;
  /** The display name. */
  readonly name: string;
  readonly package: PackageName;
  readonly wire: WireFormat;
  /** Variables that may hold its key. The first one that is set is used. */
  readonly keys: readonly string[];
  /**
   * The condition for use. `key`: one of the keys. `settings`: all of `settings`. `server`: a running
   * server.
   */
  readonly needs: 'key' | 'settings' | 'server';
  /** Further required variables, each with its alternatives. */
  readonly settings?: readonly (readonly string[])[];
  /** Undefined if the package determines it, or only the user knows it. */
  readonly baseUrl?: string;
  readonly baseUrlVariable: string;
  /** Set for a server on this machine: it costs nothing, has long deadlines, and can list its models. */
  readonly local?: LocalServer;
  /** Its name in the price list. */
  readonly prices?: string;
  /** Matches full model names that belong to it even without its id. */
  readonly family?: RegExp;
  /** The default model, meant by its id alone. */
  readonly usual?: string;
  readonly features: Features;
  /** Its models may think for minutes without output. */
  readonly thinksInSilence?: true;
  /**
   * It adds fields to Chat Completions that must be sent back: see `extrasIn` in
   * `bridge/answer/answer.ts`.
   */
  readonly hasExtras?: true;
  /** It reports the cost of a response in dollars. */
  readonly tellsCost?: true;
}

interface LocalServer {
  readonly howToStart: string;
  readonly howToList: 'openai' | 'ollama';
}

/** Packages with the tested versions. */
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

/** Finds AWS credentials that are not in the environment. */
export const AWS_CREDENTIALS = { name: '@aws-sdk/credential-providers', version: '3.1164.0' } as const;

type PackageName = keyof typeof PACKAGES;

export function packageOf({ package: name }: Provider): {
  readonly name: PackageName;
  readonly version: string;
} {
  return { name, version: PACKAGES[name] };
}

// Features of a provider's wire format. Unsupported content is dropped or replaced by text. Nothing here
// depends on a single model.

export interface Features {
  /** Images in user messages. */
  readonly images: boolean;
  /** PDF files in user messages. Otherwise a note replaces them. */
  readonly documents: boolean;
  /** Images inside results. Otherwise they follow in a user message. */
  readonly mediaInResults: boolean;
  /** User text may follow results. Otherwise it is put into the last result. */
  readonly wordsAfterResults: boolean;
  /** Its thinking in later turns: sent back as signed by the provider, sent back as text, or dropped. */
  readonly thinking: 'signed' | 'text' | 'dropped';
  /** `--effort` and `--thinking` take effect. */
  readonly effort: boolean;
}
