/** Facts about a turn that only the surface has: its prompt, the number of its result, the state of the session. */
import { newUuid } from '@heddle/agent';
import type { AskPermission, SdkMessage, SdkSessionState } from '@heddle/agent';
import { type HostLine, lineIn, textIn } from './json.ts';

/** Adds the id of the prompt and the number of the result to the messages of one turn. */
export class TurnAnnotator {
  #results = 0;

  /** `promptId`: the id that the host gave. `waiting`: the number of prompts behind this one. */
  forTurn(promptId: string | undefined, waiting: () => number): (line: SdkMessage) => SdkMessage {
    let isAnswered = false;
    const answered =
      promptId === undefined ? {} : { user_message_uuid: promptId, user_message_uuids: [promptId] };
    return (line) => {
      if (line.type === 'result')
        return { ...line, ...answered, result_index: this.#results++, queued_turn_count: waiting() };
      if (line.type !== 'assistant' || isAnswered || line.parent_tool_use_id !== null) return line;
      isAnswered = true;
      return { ...line, ...answered };
    };
  }
}

/** Sums up the turns of this process: their times, and the lines that they changed in files. */
export class SessionActivity {
  #apiMs = 0;
  #durationMs = 0;
  #added = 0;
  #removed = 0;

  note(line: SdkMessage): void {
    if (line.type === 'result') {
      this.#apiMs += line.duration_api_ms;
      this.#durationMs += line.duration_ms;
    }
    if (line.type === 'user') this.#countLines(lineIn(line.tool_use_result) ?? {});
  }

  get totals(): object {
    return {
      total_api_duration_ms: this.#apiMs,
      total_duration_ms: this.#durationMs,
      total_lines_added: this.#added,
      total_lines_removed: this.#removed,
    };
  }

  #countLines({ type, content, structuredPatch: patch }: HostLine): void {
    if (type === 'create') this.#added += (textIn(content) ?? '').trimEnd().split('\n').length;
    const hunks = Array.isArray(patch) ? patch.map((hunk) => lineIn(hunk)?.['lines']) : [];
    for (const line of hunks.flat()) {
      if (typeof line !== 'string') continue;
      if (line.startsWith('+')) this.#added++;
      if (line.startsWith('-')) this.#removed++;
    }
  }
}

/** Reports whether the session runs, waits for the host, or is idle. Only to clients that read it. */
export class SessionStateReporter {
  readonly #write: (line: SdkMessage) => unknown;
  readonly #isRead = process.env['CLAUDE_CODE_SDK_READS_SESSION_STATE'] === '1';
  #sessionId = '';
  #questions = 0;
  #state: SdkSessionState['state'] = 'idle';

  constructor(write: (line: SdkMessage) => unknown) {
    this.#write = write;
  }

  begin(sessionId: string): void {
    this.#sessionId = sessionId;
    this.#report('running');
  }

  end(): void {
    this.#report('idle');
  }

  /** The same questions; the session needs an action while one is open. */
  watching(ask: AskPermission): AskPermission {
    return async (question, signal) => {
      this.#questions++;
      this.#report('requires_action');
      try {
        return await ask(question, signal);
      } finally {
        if (--this.#questions === 0 && this.#state === 'requires_action') this.#report('running');
      }
    };
  }

  #report(state: SdkSessionState['state']): void {
    if (!this.#isRead || state === this.#state) return;
    this.#state = state;
    const stamp = { uuid: newUuid(), session_id: this.#sessionId };
    this.#write({ type: 'system', subtype: 'session_state_changed', ...stamp, state, sdk_host_only: true });
  }
}
