/** The environment variables that Heddle reads, beside those of settings. A test compares the table with the sources. */

interface VariableText {
  readonly meaning: string;
  /** Other names that work too. */
  readonly also?: readonly string[];
}

export const ENVIRONMENT: Readonly<Record<string, VariableText>> = {
  HEDDLE_CONFIG_DIR: {
    meaning: 'the folder of your settings and sessions; an absolute path',
    also: ['CLAUDE_CONFIG_DIR'],
  },
  HEDDLE_MODEL: { meaning: 'the model that is used when none is named', also: ['ANTHROPIC_MODEL'] },
  ANTHROPIC_SMALL_FAST_MODEL: { meaning: 'the small model, if HEDDLE_SMALL_MODEL is not set' },
  ANTHROPIC_API_KEY: { meaning: 'the key for Claude; `heddle models` lists the keys of other providers' },
  ANTHROPIC_AUTH_TOKEN: { meaning: 'a token for Claude in place of a key' },
  ANTHROPIC_BASE_URL: { meaning: 'the address of a gateway for Claude' },
  ANTHROPIC_VERTEX_BASE_URL: { meaning: 'the address of a gateway for Claude on Vertex' },
  ANTHROPIC_DEFAULT_OPUS_MODEL: {
    meaning: 'the model of a short name',
    also: [
      'ANTHROPIC_DEFAULT_SONNET_MODEL',
      'ANTHROPIC_DEFAULT_HAIKU_MODEL',
      'ANTHROPIC_DEFAULT_FABLE_MODEL',
    ],
  },
  CLAUDE_CODE_API_KEY_HELPER_TTL_MS: { meaning: 'how long the key of a key helper is used, in milliseconds' },
  HEDDLE_SUBAGENT_MODEL: { meaning: 'the model of all subagents', also: ['CLAUDE_CODE_SUBAGENT_MODEL'] },
  HEDDLE_MAX_SUBAGENT_SPAWN_DEPTH: {
    meaning: 'levels of subagents; 1: a subagent cannot start others',
    also: ['CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH'],
  },
  HEDDLE_BACKGROUND_WAIT_MS: {
    meaning: 'how long `heddle -p` waits for subagents in the background; 10 minutes by default',
  },
  HEDDLE_PASS_KEYS: { meaning: 'names of keys that commands may see, separated by commas' },
  HEDDLE_TOOL_REFERENCES: {
    meaning:
      '1: a server at another address than the Messages API itself gets references to loaded tools; 0: no server does',
  },
  HEDDLE_FIRST_BYTE_TIMEOUT_MS: { meaning: 'how long a request waits for the first byte of an answer' },
  HEDDLE_STREAM_IDLE_TIMEOUT_MS: { meaning: 'how long an answer may pause' },
  HEDDLE_LOCAL_TIMEOUT_MS: { meaning: 'how long local model servers are searched for' },
  HEDDLE_DISABLE_COMPACT: { meaning: '1: nothing compacts, including /compact', also: ['DISABLE_COMPACT'] },
  HEDDLE_DISABLE_AUTO_COMPACT: {
    meaning: '1: the same as HEDDLE_AUTO_COMPACT=0',
    also: ['DISABLE_AUTO_COMPACT'],
  },
  HEDDLE_AUTO_COMPACT_WINDOW: {
    meaning: 'the window, in tokens, that compaction assumes',
    also: ['CLAUDE_CODE_AUTO_COMPACT_WINDOW'],
  },
  HEDDLE_AUTOCOMPACT_PCT_OVERRIDE: {
    meaning: 'the share of the window, in percent, at which a conversation is compacted',
    also: ['CLAUDE_AUTOCOMPACT_PCT_OVERRIDE'],
  },
  CLAUDE_CODE_SDK_READS_SESSION_STATE: { meaning: '1: a host reads the state of the session as messages' },
  CLAUDE_AGENT_SDK_CLIENT_APP: {
    meaning: 'the name of a host, which is added to the User-Agent of requests',
  },
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: {
    meaning:
      'tokens that one answer may have, with its thinking; HEDDLE_MAX_OUTPUT_TOKENS limits only the text',
  },
  MAX_THINKING_TOKENS: { meaning: 'the budget for thinking; 0 switches thinking off' },
  HEDDLE_DURABILITY: {
    meaning: '`power`: every entry of a session reaches the disk before the run continues',
  },
  HEDDLE_FILE_HISTORY_DAYS: { meaning: 'how long earlier versions of changed files are kept' },
  HEDDLE_FILE_HISTORY_MB: { meaning: 'how much space earlier versions of changed files may use' },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning: 'switches telemetry on: the address of a receiver for OTLP over HTTP; see docs/telemetry.md',
    also: ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'],
  },
  OTEL_TRACES_EXPORTER: {
    meaning: '`otlp` switches telemetry on, `none` leaves the signal out',
    also: ['OTEL_METRICS_EXPORTER'],
  },
  OTEL_EXPORTER_OTLP_HEADERS: { meaning: 'headers for the receiver: `name=value,name=value`' },
  OTEL_EXPORTER_OTLP_PROTOCOL: { meaning: 'only `http/json`; with another value telemetry is off' },
  OTEL_SERVICE_NAME: {
    meaning: 'the name of the service in telemetry; the default is `heddle`',
    also: ['OTEL_RESOURCE_ATTRIBUTES'],
  },
  OTEL_SDK_DISABLED: { meaning: '`true`: telemetry is off' },
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: {
    meaning: '`true`: telemetry contains prompts, answers, inputs and results',
  },
  TRACEPARENT: { meaning: 'the span that turns belong to, in the format of W3C Trace Context' },
};

/** Variables that Heddle sets for the programs that it starts. */
export const SET_FOR_PROGRAMS: Readonly<Record<string, string>> = {
  CLAUDE_PROJECT_DIR: 'hooks: the folder of the project',
  HEDDLE_PROJECT_DIR: 'hooks: the same',
  CLAUDE_ENV_FILE:
    'hooks of SessionStart, CwdChanged and FileChanged: a file for variables of later commands, in the configuration folder',
  HEDDLE_ENV_FILE: 'hooks: the same',
  CLAUDE_SESSION_ID: 'texts of skills and commands: the session',
  CLAUDE_SKILL_DIR: 'texts of skills: the folder of the skill',
  CLAUDE_PLUGIN_ROOT: 'texts and hooks of plugins: the folder of the plugin',
  HEDDLE_PLUGIN_ROOT: 'the same as CLAUDE_PLUGIN_ROOT',
  CLAUDE_EFFORT: 'texts of skills and commands: the effort of the model',
  HEDDLE_JOB_DIR: 'background jobs: the folder of the job',
  CLAUDE_JOB_DIR: 'background jobs: the same',
  HEDDLE_TASKS: 'commands: marks the processes of a session',
  TRACEPARENT: 'commands, if telemetry is on: the span of the call',
  HEDDLE_KEYS_FD: 'the program itself: the descriptor with your keys',
};
