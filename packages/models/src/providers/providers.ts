/** The providers other than Anthropic, one entry each. `make.ts` creates their models. */
import type { Features, Provider } from '../provider.ts';

const CHAT: Features = {
  images: true,
  documents: false,
  mediaInResults: false,
  wordsAfterResults: true,
  thinking: 'text',
  effort: true,
};

const LOCAL: Features = { ...CHAT, effort: false };

/** The sources in which AWS's own package finds credentials, if they are not in the environment. */
const AWS_SOURCES = [
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

const HOSTED: readonly Provider[] = [
  {
    id: 'openai',
    name: 'OpenAI',
    package: '@ai-sdk/openai',
    wire: 'responses',
    keys: ['OPENAI_API_KEY'],
    needs: 'key',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariable: 'OPENAI_BASE_URL',
    prices: 'openai',
    family: /^(gpt-|o[1-9](-|$)|chatgpt-|codex-)/,
    usual: 'gpt-6-sol',
    features: { ...CHAT, documents: true, mediaInResults: true, thinking: 'signed' },
    thinksInSilence: true,
  },
  {
    id: 'openai-chat',
    name: 'OpenAI (Chat Completions)',
    package: '@ai-sdk/openai',
    wire: 'chat',
    keys: ['OPENAI_API_KEY'],
    needs: 'key',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariable: 'OPENAI_BASE_URL',
    prices: 'openai',
    usual: 'gpt-6-sol',
    features: { ...CHAT, documents: true, thinking: 'dropped' },
    thinksInSilence: true,
  },
  {
    id: 'google',
    name: 'Google Gemini',
    package: '@ai-sdk/google',
    wire: 'gemini',
    keys: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
    needs: 'key',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    baseUrlVariable: 'GOOGLE_GEMINI_BASE_URL',
    prices: 'google',
    family: /^gemini-/,
    usual: 'gemini-3.8-flash',
    features: { ...CHAT, documents: true, mediaInResults: true, thinking: 'signed' },
    thinksInSilence: true,
  },
  {
    id: 'bedrock',
    name: 'Amazon Bedrock',
    package: '@ai-sdk/amazon-bedrock',
    wire: 'converse',
    keys: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID'],
    needs: 'settings',
    settings: [
      ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', ...AWS_SOURCES],
      ['AWS_REGION', 'AWS_DEFAULT_REGION'],
    ],
    baseUrlVariable: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME',
    prices: 'aws',
    features: { ...CHAT, documents: true, mediaInResults: true, thinking: 'signed' },
  },
  {
    id: 'vertex',
    name: 'Google Vertex AI',
    package: '@ai-sdk/google-vertex',
    wire: 'gemini',
    keys: ['GOOGLE_VERTEX_API_KEY'],
    needs: 'settings',
    settings: [['GOOGLE_VERTEX_API_KEY', 'GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT']],
    baseUrlVariable: 'GOOGLE_VERTEX_BASE_URL',
    prices: 'google',
    usual: 'gemini-3.8-flash',
    features: { ...CHAT, documents: true, mediaInResults: true, thinking: 'signed' },
    thinksInSilence: true,
  },
  {
    id: 'mistral',
    name: 'Mistral',
    package: '@ai-sdk/mistral',
    wire: 'chat',
    keys: ['MISTRAL_API_KEY'],
    needs: 'key',
    baseUrl: 'https://api.mistral.ai/v1',
    baseUrlVariable: 'MISTRAL_BASE_URL',
    prices: 'mistral',
    family: /^(mistral|ministral|magistral|codestral|devstral)-/,
    usual: 'mistral-medium-3-5',
    features: { ...CHAT, wordsAfterResults: false },
  },
  {
    id: 'groq',
    name: 'Groq',
    package: '@ai-sdk/groq',
    wire: 'chat',
    keys: ['GROQ_API_KEY'],
    needs: 'key',
    baseUrl: 'https://api.groq.com/openai/v1',
    baseUrlVariable: 'GROQ_BASE_URL',
    prices: 'groq',
    usual: 'openai/gpt-oss-120b',
    features: CHAT,
  },
  {
    id: 'xai',
    name: 'xAI',
    package: '@ai-sdk/xai',
    wire: 'responses',
    keys: ['XAI_API_KEY'],
    needs: 'key',
    baseUrl: 'https://api.x.ai/v1',
    baseUrlVariable: 'XAI_BASE_URL',
    prices: 'x-ai',
    family: /^grok-/,
    usual: 'grok-4.6',
    features: { ...CHAT, thinking: 'signed' },
    thinksInSilence: true,
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    package: '@ai-sdk/deepseek',
    wire: 'chat',
    keys: ['DEEPSEEK_API_KEY'],
    needs: 'key',
    baseUrl: 'https://api.deepseek.com',
    baseUrlVariable: 'DEEPSEEK_BASE_URL',
    prices: 'deepseek',
    family: /^deepseek-/,
    usual: 'deepseek-v4-pro',
    features: { ...CHAT, images: false },
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    package: '@ai-sdk/openai-compatible',
    wire: 'chat',
    keys: ['OPENROUTER_API_KEY'],
    needs: 'key',
    baseUrl: 'https://openrouter.ai/api/v1',
    baseUrlVariable: 'OPENROUTER_BASE_URL',
    prices: 'openrouter',
    usual: 'anthropic/claude-sonnet-5',
    features: { ...CHAT, documents: true, thinking: 'signed' },
    hasExtras: true,
    tellsCost: true,
    thinksInSilence: true,
  },
  {
    id: 'openai-compatible',
    name: 'OpenAI-compatible server',
    package: '@ai-sdk/openai-compatible',
    wire: 'chat',
    keys: ['OPENAI_COMPATIBLE_API_KEY'],
    needs: 'settings',
    settings: [['OPENAI_COMPATIBLE_BASE_URL']],
    baseUrlVariable: 'OPENAI_COMPATIBLE_BASE_URL',
    features: CHAT,
    hasExtras: true,
    thinksInSilence: true,
  },
];

const ON_THIS_MACHINE: readonly Provider[] = [
  {
    id: 'ollama',
    name: 'Ollama',
    package: '@ai-sdk/openai-compatible',
    wire: 'chat',
    keys: ['OLLAMA_API_KEY'],
    needs: 'server',
    baseUrl: 'http://127.0.0.1:11434',
    baseUrlVariable: 'OLLAMA_HOST',
    local: { howToStart: 'Start it with: ollama serve', howToList: 'ollama' },
    features: LOCAL,
  },
  {
    id: 'llamacpp',
    name: 'llama.cpp',
    package: '@ai-sdk/openai-compatible',
    wire: 'chat',
    keys: ['LLAMACPP_API_KEY'],
    needs: 'server',
    baseUrl: 'http://127.0.0.1:8080/v1',
    baseUrlVariable: 'LLAMACPP_BASE_URL',
    local: { howToStart: 'Start it with: llama-server --jinja -m MODEL.gguf', howToList: 'openai' },
    features: LOCAL,
  },
  {
    id: 'vllm',
    name: 'vLLM',
    package: '@ai-sdk/openai-compatible',
    wire: 'chat',
    keys: ['VLLM_API_KEY'],
    needs: 'server',
    baseUrl: 'http://127.0.0.1:8000/v1',
    baseUrlVariable: 'VLLM_BASE_URL',
    local: {
      howToStart: 'Start it with: vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER',
      howToList: 'openai',
    },
    features: LOCAL,
  },
  {
    id: 'lmstudio',
    name: 'LM Studio',
    package: '@ai-sdk/openai-compatible',
    wire: 'chat',
    keys: ['LMSTUDIO_API_KEY'],
    needs: 'server',
    baseUrl: 'http://127.0.0.1:1234/v1',
    baseUrlVariable: 'LMSTUDIO_BASE_URL',
    local: { howToStart: 'Start it with: lms server start', howToList: 'openai' },
    features: LOCAL,
  },
];

export const PROVIDERS: readonly Provider[] = [...HOSTED, ...ON_THIS_MACHINE];

export function providerNamed(id: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.id === id);
}

export interface NamedModel {
  readonly provider: Provider;
  /** The provider's own name for the model. Empty if only the provider was named. */
  readonly model: string;
}

/**
 * Parses `provider/model`, `provider:model`, `provider`, or the full name of a model with an unambiguous
 * family.
 */
export function readModelName(name: string): NamedModel | undefined {
  const [, id = '', model = ''] = /^([^:/]+)(?:[:/](.*))?$/s.exec(name) ?? [];
  const provider = providerNamed(id.toLowerCase());
  if (provider !== undefined) return { provider, model };
  const owner = PROVIDERS.find(({ family }) => family?.test(name));
  return owner && { provider: owner, model: name };
}

/** Returns the name in requests and bills. */
export function fullNameOf({ provider, model }: NamedModel): string {
  return `${provider.id}/${model}`;
}
