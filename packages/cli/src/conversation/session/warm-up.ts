/**
 * Loads the code of the first turn while the user reads or thinks, so that keys are shown at once during that turn. It runs
 * after a pause of the user, in short steps. Keys are read between the steps.
 */
import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { loadPrices } from '@heddle/models';
import { bashTool, builtinTools } from '@heddle/tools';
import { charactersOf } from '../../terminal/width.ts';
import type { StartedSession } from '../../start/start-agent.ts';

/** The user has typed nothing for this long. */
const PAUSE_MS = 250;
/** The time for keys between two steps. */
const STEP_GAP_MS = 15;
/** The tools that most first turns use. Each has its own schema. */
const USUAL_TOOLS = ['Bash', 'Read', 'Edit', 'Grep'];

export class WarmUp {
  readonly #steps: (() => Promise<unknown>)[];
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;

  constructor(agent: StartedSession['agent'], cwd: string) {
    this.#steps = warmUpSteps(agent, cwd);
  }

  /** Starts after the next pause. Does nothing after the last step. */
  wait(): void {
    clearTimeout(this.#timer);
    if (this.#steps.length > 0) this.#timer = setTimeout(() => void this.#run(), PAUSE_MS).unref();
  }

  /** Stops after the current step. A turn has begun, and loads what it needs. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#steps.length = 0;
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) {
      // The turn that needs the code reports why it does not load.
      await step().catch(() => undefined);
      await pause(STEP_GAP_MS, undefined, { ref: false });
    }
    this.#isRunning = false;
  }
}

function warmUpSteps(agent: StartedSession['agent'], cwd: string): (() => Promise<unknown>)[] {
  return [
    () => loadPrices(),
    async () => bashTool.inputSchema(),
    ...USUAL_TOOLS.map((name) => async () => {
      const schema = await builtinTools()
        .find((tool) => tool.name === name)
        ?.inputSchema();
      schema?.safeParse({});
    }),
    () => import('@heddle/agent/permission'),
    () => decideOnce(cwd),
    () => import('@heddle/agent/sandbox'),
    () => agent.contextUsage(),
    // A character with a mark loads the tables of Unicode.
    async () => charactersOf('e\u0301'),
  ];
}

/** Decides about a harmless command, which compiles the code for later decisions. */
async function decideOnce(cwd: string): Promise<void> {
  const { authorize, observeWorld, NO_RULES } = await import('@heddle/agent/permission');
  const world = observeWorld({
    root: cwd,
    cwd,
    directories: [],
    home: os.homedir(),
    configDirs: [],
    environment: process.env,
  });
  const request = { tool: 'Bash', input: { command: 'true' }, readOnly: false, hookDecision: undefined };
  authorize(request, NO_RULES, 'default', world);
}
