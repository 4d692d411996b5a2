/** A program on the other side of standard input: it sends prompts and control requests, one JSON object a line. */
import { createInterface } from 'node:readline';
import type { AskPermission, Prompt } from '@heddle/agent';
import type { QueuedCommand } from '@heddle/core';
import type { Output } from '../output.ts';
import type { Control } from './control.ts';
import { Inbox, promptOf } from './inbox.ts';
import { type Line, lineIn, parseLine } from './json.ts';
import { Questions } from './questions.ts';

/** Where prompts come from. */
export interface Host {
  /** Ends when the host closes its side. */
  readonly prompts: AsyncIterable<Prompt & { readonly isQuiet?: boolean }>;
  /** Permission questions go to the host. */
  readonly ask?: AskPermission;
  /** What arrived for the turn that runs. */
  readonly takeQueued?: () => readonly QueuedCommand[];
  /** Requests are answered by it from now on, those that came before first. */
  serve?(control: Control): void;
  /** No more prompts are taken, whatever the host does; an open standard input no longer keeps the program alive. */
  end?(): void;
}

/** A host that has one prompt and says no more. */
export function singlePrompt(content: string): Host {
  return {
    prompts: (async function* () {
      yield { content };
    })(),
  };
}

export function createHost(output: Output): Host {
  const inbox = new Inbox();
  const questions = new Questions((line) => output.writeControl(line));
  const control = Promise.withResolvers<Control>();
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  /** Lines are taken in their order: a prompt behind a request finds it done. */
  let taken = Promise.resolve();

  lines.on('line', (text) => {
    const line = parseLine(text);
    if (line?.['type'] === 'control_response') return questions.settle(line);
    taken = taken.then(() => take(line, text));
  });
  lines.on('close', () => {
    questions.close();
    taken = taken.then(() => inbox.close());
  });

  async function take(line: Line | undefined, text: string): Promise<void> {
    switch (line?.['type']) {
      case undefined:
        if (text.trim() !== '') complain('is not a JSON object with a type');
        return;
      case 'user': {
        const prompt = promptOf(line);
        if (!prompt) return complain('holds no prompt');
        inbox.put(prompt);
        if (prompt.priority === 'now') (await control.promise).makeRoom();
        return;
      }
      case 'control_request': {
        const reply = await (await control.promise).answer(lineIn(line['request']) ?? {}, inbox);
        const response = { ...reply, request_id: line['request_id'] };
        return output.writeControl({ type: 'control_response', response });
      }
    }
  }

  return {
    prompts: inbox,
    ask: questions.ask,
    takeQueued: () => inbox.takeQueued(),
    serve: control.resolve,
    end() {
      inbox.clear();
      inbox.close();
      lines.close();
      process.stdin.destroy();
    },
  };
}

function complain(about: string): void {
  process.stderr.write(`heddle: a line on standard input ${about}\n`);
}
