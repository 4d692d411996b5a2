export const HELP = `Heddle, a coding agent for the terminal

  heddle -p "prompt"          run one prompt and print the answer
  cat notes | heddle -p       the prompt comes through the pipe
  heddle demo                 watch a whole run offline, recoveries included
  heddle permissions …        what would be allowed and why; the rules (see: heddle permissions help)
  heddle rewind SESSION MESSAGE [--dry-run]
                              put the files the agent changed back as they were
  heddle models               the models there are, with window and price

  --model NAME                opus, sonnet, haiku, a full id, rehearsal (offline), scripted:FILE (plays a script)
  --fallback-model NAME       takes over when the first model is overloaded
  --output-format FORMAT      text, json or stream-json
  --include-partial-messages  stream-json also shows the raw events of the model
  --max-turns N               stop after N rounds of tools
  --permission-mode MODE      default, acceptEdits, plan, dontAsk, bypassPermissions
  --allowed-tools RULES       let these run unasked, for example: Bash,Read
  --disallowed-tools RULES    never run these
  --system-prompt TEXT        in place of the built-in one
  --append-system-prompt TEXT behind the built-in one
  --no-session-persistence    keep no session file
  --version, --help
`;
