/** A program on the other side of standard input: it sends prompts and control requests, one JSON object a line. */
import { type AskPermission, type PermissionQuestion, type Prompt } from '@heddle/agent';
import type { QueuedPrompt } from '@heddle/core';
import type { ServerServices } from '../../mcp/connect-servers.ts';
import type { HeadlessOutput } from '../output/output.ts';
import { permissionAnswer } from './asked-tool.ts';
import type { Control } from './control/control.ts';
import { SIDE_QUESTION } from './control/queries.ts';
import { type HostPrompt, hostPromptOf, HostPromptQueue } from './inbox.ts';
import { type HostLine, lineIn, LineSplitter, parseHostLine, textIn } from './json.ts';
import { hostElicitation, hostSender, LONG_REQUESTS } from './control/servers.ts';
import { InitialRequest } from './initial-request.ts';
import { placedInput } from './placed-input.ts';
import { HostRequests } from './requests.ts';
import { warn } from '../../terminal/write-message.ts';

export type TakenPrompt = Prompt & Partial<Pick<HostPrompt, 'isNamed' | 'isQuiet' | 'pass'>>;

/** The source of prompts. */
export interface Host {
  /** Ends when the host closes its side. */
  readonly prompts: AsyncIterable<TakenPrompt>;
  /** Permission questions go to the host. */
  readonly ask?: AskPermission;
  /** Sends other requests to the host. */
  readonly requests?: HostRequests;
  /** The first line of the host, which may concern the start of the agent. */
  readonly initial?: InitialRequest;
  /** The features of the host that MCP servers may use. */
  readonly services?: ServerServices;
  /** The problem with a line that could not be read, or undefined. */
  readonly misread?: string | undefined;
  /** The number of prompts that wait. */
  readonly waiting?: () => number;
  /** Takes the prompts that arrived for the running turn. */
  readonly takeQueued?: () => readonly QueuedPrompt[];
  /** Requests are answered by it from now on, those that came before first. */
  serve?(control: Control): void;
  /** Resolves when every side question has its reply. */
  settled?(): Promise<void>;
  /** No more prompts are taken, whatever the host does; an open standard input no longer keeps the program alive. */
  end?(): void;
}

/**
 * Standard input is not read while more characters than this wait. They wait if the host does not read the replies to its
 * requests. While the host owes a reply, it is read: the lines that wait may wait for this reply.
 */
const MAX_WAITING_LENGTH = 8 * 1024 * 1024;

/** `verbatim`: all of its prompts are. */
export function createHost(output: HeadlessOutput, verbatim: boolean): Host {
  const inbox = new HostPromptQueue();
  const requests = new HostRequests((line) => {
    void output.writeControl(line);
    input.readOrWait();
  });
  const initial = new InitialRequest();
  const control = Promise.withResolvers<Control>();
  let misread: string | undefined;
  /** Side questions that were not answered yet. */
  let asides: Promise<unknown> = Promise.resolve();
  const input = new HostInput({
    isReplyDue: () => requests.areOpen,
    arrived(line) {
      initial.note(line);
      const isReply = line?.['type'] === 'control_response';
      if (isReply) requests.settle(line);
      return isReply;
    },
    take,
    closed() {
      initial.note(undefined);
      requests.close();
    },
    ended: () => inbox.close(),
  });

  /** Reports an unreadable line. The run continues, because the next line may be valid. */
  function complain(about: string): void {
    misread = `a line on standard input ${about}`;
    warn(misread);
  }

  async function take(line: HostLine | undefined, text: string): Promise<void> {
    switch (line?.['type']) {
      case undefined:
        if (text.trim() !== '') complain('is not a JSON object with a type');
        return;
      case 'user': {
        const prompt = hostPromptOf(verbatim ? { ...line, client_composed: true } : line);
        if (!prompt) return complain('holds no prompt');
        return takePrompt(prompt, inbox, await control.promise);
      }
      case 'control_request': {
        const request = lineIn(line['request']) ?? {};
        const replying = reply(request, line['request_id']);
        const subtype = textIn(request['subtype']) ?? '';
        if (subtype !== SIDE_QUESTION && !LONG_REQUESTS.has(subtype)) return replying;
        asides = Promise.all([asides, replying]);
        return;
      }
    }
  }

  async function reply(request: HostLine, id: unknown): Promise<void> {
    const response = { ...(await (await control.promise).answer(request, inbox)), request_id: id };
    return output.writeControl({ type: 'control_response', response });
  }

  return {
    prompts: inbox,
    ask: askHost(requests),
    settled: () => asides.then(() => undefined),
    requests,
    initial,
    services: { sendToHost: hostSender(requests), elicit: hostElicitation(requests) },
    get misread() {
      return misread;
    },
    waiting: () => inbox.uuids.length,
    takeQueued: () => inbox.takeQueued(),
    serve: control.resolve,
    end() {
      inbox.clear();
      inbox.close();
      input.destroy();
    },
  };
}

function takePrompt(prompt: HostPrompt, inbox: HostPromptQueue, control: Control): void {
  const { passOf, makeRoom, queued } = control;
  const waits = inbox.put({ ...prompt, pass: prompt.isQuiet ? undefined : passOf(prompt) });
  if (waits && !prompt.isQuiet) queued(prompt);
  if (prompt.priority === 'now') makeRoom();
}

interface InputListener {
  /** The host owes a reply, so its lines must be read. */
  readonly isReplyDue: () => boolean;
  /** Sees a line when it arrives. Returns true if the line is done. */
  readonly arrived: (line: HostLine | undefined) => boolean;
  /** Takes the other lines in their order: a prompt behind a request finds it done. */
  readonly take: (line: HostLine | undefined, text: string) => Promise<void>;
  /** No more lines will arrive. */
  readonly closed: () => void;
  /** All lines were taken. */
  readonly ended: () => void;
}

/** Reads the lines of standard input, and stops reading while too many of them wait. */
class HostInput {
  readonly #listener: InputListener;
  readonly #stdin = process.stdin;
  readonly #splitter = new LineSplitter();
  #taken = Promise.resolve();
  /** The length of the lines that were read and not taken. */
  #waitingLength = 0;
  #isClosed = false;

  constructor(listener: InputListener) {
    this.#listener = listener;
    this.#stdin.on('data', (chunk: Buffer) => {
      for (const text of this.#splitter.push(chunk)) this.#receive(text);
    });
    for (const event of ['end', 'close', 'error']) this.#stdin.on(event, () => this.#close());
  }

  readOrWait(): void {
    const mustWait = this.#waitingLength > MAX_WAITING_LENGTH && !this.#listener.isReplyDue();
    if (mustWait) this.#stdin.pause();
    else if (this.#stdin.isPaused()) this.#stdin.resume();
  }

  /** An open standard input no longer keeps the program alive. */
  destroy(): void {
    this.#stdin.destroy();
  }

  #receive(text: string): void {
    const line = parseHostLine(text);
    if (!this.#listener.arrived(line)) {
      this.#waitingLength += text.length;
      this.#taken = this.#taken
        .then(() => this.#listener.take(line, text))
        .finally(() => {
          this.#waitingLength -= text.length;
          this.readOrWait();
        });
    }
    this.readOrWait();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const text of this.#splitter.end()) this.#receive(text);
    this.#listener.closed();
    this.#taken = this.#taken.then(() => this.#listener.ended());
  }
}

/** However the host fails to answer, it has not allowed it. */
function askHost(host: HostRequests): AskPermission {
  return async (question, signal) => {
    const { input, cwd, restore } = placedInput(question);
    const reply = await host.ask(requestOf({ ...question, input }, cwd), { signal });
    return reply.ok ? restore(permissionAnswer(reply.response)) : { allow: false, message: reply.message };
  };
}

function requestOf(
  { toolUseId, tool, input, reason, suggestions, rule, agentId, parts }: PermissionQuestion,
  cwd: string | undefined,
): object {
  return {
    subtype: 'can_use_tool',
    tool_name: tool,
    input,
    cwd,
    tool_use_id: toolUseId,
    decision_reason: reason,
    permission_suggestions: suggestions.length > 0 ? suggestions : undefined,
    blocked_path: blockedPath(parts),
    matched_ask_rule: rule,
    agent_id: agentId,
  };
}

/** Returns the first file that the call may not use without an answer, with links resolved. Undefined if it is not known. */
function blockedPath(parts: PermissionQuestion['parts']): string | undefined {
  return parts.find(({ kind, decision }) => decision !== 'allow' && FILE_PARTS.has(kind))?.place;
}

const FILE_PARTS: ReadonlySet<string> = new Set(['read', 'write', 'remove']);
