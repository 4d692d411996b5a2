/** The messages for a start without a model. A run ends with them, and `heddle doctor` reports them. */
export const NO_MODEL = 'no model is configured';
export const GET_A_MODEL =
  'set a key (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, …), start Ollama, or see heddle models';
export const TRY_WITHOUT_KEY = 'try one without network or key: heddle --model rehearsal, with or without -p';
export const NO_MODEL_MESSAGE = `${NO_MODEL}: ${GET_A_MODEL};\n${TRY_WITHOUT_KEY}`;
