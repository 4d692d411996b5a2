/**
 * Runs the user's own command for the status line (`statusLine` in the settings). It receives facts about the session as
 * JSON, and the first line of its output is shown. A slow or failing command never holds anything back.
 */
import { totalCost, VERSION } from '@heddle/agent';
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { environmentIn } from '@heddle/core';
import { withoutSecrets } from '@heddle/models';
import { startFolder } from '../../start-folder.ts';
import { shortened } from '../../terminal/amounts.ts';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { OpenSession } from './open-session.ts';

/** A slower command is ended, and the usual facts are shown. */
const DEADLINE_MS = 2_000;
const MAX_OUTPUT = 4_096;
const MAX_LENGTH = 300;

export class StatusCommand {
  readonly #command: string;
  #running: AbortController | undefined;

  constructor(command: string) {
    this.#command = command;
  }

  /** Returns the first line of the output. Undefined if the command fails, is late, or was started again since. */
  async run({ started, options }: OpenSession): Promise<string | undefined> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    const { agent } = started;
    const { state, window } = await agent.contextUsage();
    const facts = {
      hook_event_name: 'Status',
      session_id: agent.sessionId,
      transcript_path: started.session.journal.path,
      cwd: options.cwd,
      model: { id: options.modelName, display_name: options.modelName },
      workspace: { current_dir: options.cwd, project_dir: options.cwd },
      version: VERSION,
      permission_mode: agent.permissionMode,
      cost: { total_cost_usd: totalCost(agent.spending) },
      context_window: { size: window, used_tokens: state.tokens },
    };
    const line = await firstLine(this.#command, JSON.stringify(facts), {
      cwd: startFolder(options.cwd),
      signal: AbortSignal.any([running.signal, AbortSignal.timeout(DEADLINE_MS)]),
    });
    return running.signal.aborted ? undefined : line;
  }
}

function firstLine(
  command: string,
  input: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  if (signal.aborted) return Promise.resolve(undefined);
  // A group of its own, so that the deadline also ends the processes of a script.
  const child = spawn('/bin/sh', ['-c', command], {
    cwd,
    env: { ...environmentIn(cwd, withoutSecrets(process.env)) },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
    resolve(undefined);
  };
  let output = '';
  signal.addEventListener('abort', end, { once: true });
  child.on('error', () => resolve(undefined));
  child.stdin.on('error', () => undefined).end(input);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(0, MAX_OUTPUT);
  });
  child.on('close', (code) => {
    const [line = ''] = stripVTControlCharacters(output).trim().split('\n');
    resolve(code === 0 && line !== '' ? escapeControls(shortened(line.trim(), MAX_LENGTH)) : undefined);
  });
  return promise.finally(() => signal.removeEventListener('abort', end));
}
