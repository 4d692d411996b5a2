/** Runs the agent of a hook: a conversation of its own with tools that read. It asks no questions, and is not stored. */
import { type AgentHooks, type AgentOptions, createAgent, LivePermissions, NO_RULES } from '@heddle/agent';
import type { AskJudge } from '@heddle/agent/hooks';
import type { LoopEvent, Spent } from '@heddle/core';

export interface AgentHookSetup {
  /** The options of the session that the hook belongs to, with its tools. */
  readonly options: AgentOptions;
  /** The hooks of the session that may deny a call. */
  readonly hooks: AgentHooks;
  /** Adds a cost to that session. */
  readonly charge: (spent: Spent) => Promise<void>;
}

/** Bash is limited by the mode: a command runs only if it is proven to change nothing, or in the read-only view. */
const TOOLS: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'Bash']);
const MAX_TURNS = 50;
const ONLY_READS = 'Calls that have effects are denied. Look at the state as it is, then give the verdict.';

export function agentJudge({ options, hooks, charge }: AgentHookSetup): AskJudge {
  return async ({ systemPrompt, question, model, signal }) => {
    const { rules = NO_RULES } = options;
    const costs: Promise<void>[] = [];
    const agent = createAgent({
      model: options.model,
      modelName: model ?? options.modelName,
      requestOptions: options.requestOptions,
      redact: options.redact,
      cwd: options.cwd,
      configDirs: options.configDirs,
      configFiles: options.configFiles,
      commandEnvironment: options.commandEnvironment,
      sandbox: options.sandbox,
      view: options.view,
      tools: options.tools.filter(({ name }) => TOOLS.has(name)),
      // A copy: a mode that the user switches on later does not apply here.
      rules: new LivePermissions(rules instanceof LivePermissions ? rules.rules : rules),
      permissionMode: 'plan',
      planInstructions: ONLY_READS,
      hooks,
      systemPrompt: [systemPrompt],
      maxTurns: MAX_TURNS,
      bare: true,
      onEvent: (event) => {
        const spent = spentIn(event);
        if (spent) costs.push(charge(spent));
      },
    });
    let text = '';
    let error: string | undefined = 'The agent of the hook gave no answer.';
    const abort = (): void => agent.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      // The question contains the input of a call, so it is not the words of the user.
      for await (const line of agent.submit({ content: question, verbatim: true })) {
        // The run starts with its first line. The signal may have aborted before.
        if (signal.aborted) abort();
        if (line.type !== 'result') continue;
        text = line.result ?? '';
        error = line.is_error ? (line.errors?.[0] ?? text) : undefined;
      }
    } finally {
      signal.removeEventListener('abort', abort);
    }
    await Promise.all(costs);
    return error === undefined ? { ok: true, text } : { ok: false, message: error };
  };
}

function spentIn(event: LoopEvent): Spent | undefined {
  if (event.type !== 'answer_end' && event.type !== 'spent') return undefined;
  const { model, usage } = event;
  return { model, usage };
}
