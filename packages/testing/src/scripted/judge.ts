/**
 * Checks every request to a scripted model. A request that breaks a rule of the API gets a distinct
 * `bad_request` and is recorded: its test fails.
 */
import { type ApiEvent, errorMessage, type ModelError, omitUndefined } from '@heddle/core';
import { isDeepStrictEqual } from 'node:util';
import { markedMessages, type RequestBody } from '../request-body.ts';
import type { RequestViolation } from '../validator/rules.ts';
import { createSignatures, type Signatures } from '../validator/signatures.ts';
import { explainViolations, validateRequest } from '../validator/validate.ts';
import type { Act } from './act.ts';
import { errorOf } from './errors.ts';
import type { RecordedCall } from './recorded.ts';

export interface JudgeOptions {
  /**
   * Checks requests against the API's rules. Default: true. Disable it for benchmarks and in production.
   */
  readonly validate?: boolean;
  /**
   * The valid signatures. Default: those of this model. Share one register between models of the same
   * server.
   */
  readonly signatures?: Signatures;
  /**
   * The handling of a forged, changed or foreign signature: a violation (default), an error like the
   * server's (`refused_block`, with its position), or none.
   */
  readonly badSignatures?: 'violation' | 'refuse' | 'ignore';
  /** The last message may be the assistant's. After `pause_turn` it always may. */
  readonly prefill?: boolean;
  /**
   * The name of the script if a user runs it: problems are reported in plain text, without the mark for
   * tests.
   */
  readonly script?: string;
}

export interface Problem {
  readonly kind: 'violation' | 'out_of_script' | 'script_threw';
  readonly call: number;
  readonly message: string;
  /** The broken rules. */
  readonly violations: readonly RequestViolation[];
}

export interface Judge {
  readonly problems: readonly Problem[];
  readonly signatures: Signatures;
  /** Returns the error for a request that broke a rule. */
  examine(call: RecordedCall): ModelError | undefined;
  /** The same for a body. Without `bytes` its size is measured. */
  examineBody(call: number, body: unknown, bytes?: number): ModelError | undefined;
  /** Records the model's next output, because it may come back in later requests. */
  remember(model: string, acts: readonly Act[]): void;
  /** Records a problem and returns the error that reports it. */
  object(
    call: number,
    kind: Problem['kind'],
    message: string,
    violations?: readonly RequestViolation[],
  ): ModelError;
  assertNoProblems(): void;
}

export function createJudge(options: JudgeOptions): Judge {
  const problems: Problem[] = [];
  const signatures = options.signatures ?? createSignatures();
  const memory = createMemory(signatures);

  const object: Judge['object'] = (call, kind, message, violations = []) => {
    problems.push({ kind, call, message, violations });
    return errorOf('bad_request', { message: options.script === undefined ? `TEST: ${message}` : message });
  };

  const examineBody: Judge['examineBody'] = (call, body, bytes) => {
    if (options.validate === false) return undefined;
    const found = validateRequest(body, {
      ...(options.badSignatures === 'ignore' ? {} : { signatures }),
      ...omitUndefined({ bytes }),
      prefill: options.prefill === true || memory.paused(),
      knownBlockTypes: memory.blockTypes,
    });
    const forged = options.badSignatures === 'refuse' ? found.filter(isAboutSignature) : [];
    const violations = found.filter((violation) => !forged.includes(violation));
    if (violations.length > 0) {
      return object(
        call,
        'violation',
        `Call ${call} broke the API's rules:\n${explainViolations(violations)}`,
        violations,
      );
    }
    const [first] = forged;
    return first === undefined ? undefined : errorOf('refused_block', { block: placeOf(first.path) });
  };

  return {
    problems,
    signatures,
    object,
    remember: (model, acts) => memory.remember(model, acts),
    examineBody,
    examine(call) {
      if (options.validate === false) return undefined;
      const body = readBody(call);
      return typeof body === 'string'
        ? object(call.number, 'violation', `Call ${call.number}: ${body}`)
        : examineBody(call.number, body, call.byteLength());
    },
    assertNoProblems() {
      if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
    },
  };
}

/** Returns the body, or the problem with its bytes. */
function readBody(call: RecordedCall): RequestBody | string {
  try {
    const body = call.body();
    const agrees = isDeepStrictEqual(body['messages'], markedMessages(call.request));
    return agrees ? body : 'messagesJson says something else than messages and marks do';
  } catch (error) {
    return `messagesJson cannot be read: ${errorMessage(error)}`;
  }
}

const SIGNATURE_RULES = new Set(['thinking-unknown', 'thinking-changed', 'thinking-model']);

function isAboutSignature({ rule }: RequestViolation): boolean {
  return SIGNATURE_RULES.has(rule);
}

function placeOf(path: string): { message: number; block: number } {
  const [, message, block] = /^messages\.(\d+)\.content\.(\d+)/.exec(path) ?? [];
  return { message: Number(message), block: Number(block) };
}

// The server's memory of its own responses: signatures, block types, and pauses.

interface Memory {
  /** Types of blocks that were sent and may come back. */
  readonly blockTypes: ReadonlySet<string>;
  /** The last complete response has paused: the request may continue from it. */
  paused(): boolean;
  remember(model: string, acts: readonly Act[]): void;
}

function createMemory(signatures: Signatures): Memory {
  const blockTypes = new Set<string>();
  let paused = false;

  return {
    blockTypes,
    paused: () => paused,
    remember(model, acts) {
      const thoughts = new Map<number, string>();
      for (const act of acts) if (act.act === 'event') note(act.event, model, thoughts);
    },
  };

  function note(event: ApiEvent, model: string, thoughts: Map<number, string>): void {
    if (event.type === 'content_block_start') {
      const { content_block: block } = event;
      blockTypes.add(String(block.type));
      if (block.type === 'redacted_thinking') signatures.admit(block.data, model, block.data);
    } else if (event.type === 'content_block_delta') {
      const { delta, index } = event;
      const before = thoughts.get(index) ?? '';
      if (delta.type === 'thinking_delta') thoughts.set(index, before + delta.thinking);
      if (delta.type === 'signature_delta') signatures.admit(delta.signature, model, before);
    } else if (event.type === 'message_delta') {
      paused = event.delta.stop_reason === 'pause_turn';
    }
  }
}
