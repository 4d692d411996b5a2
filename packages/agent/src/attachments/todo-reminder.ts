/** Reminds the model of open steps when it has not touched its list for a while. */
import { todosIn } from '@heddle/tools';
import { type Attachment, type Message, type MessageHistory } from '@heddle/core';

/** Answers without a change of the list, and without a reminder. */
const SILENT_ANSWERS = 10;
/** Messages that are searched for the last change, so that the cost of a turn stays bounded. */
const LOOK_BACK = 400;

const LIST_TOOLS: ReadonlySet<string> = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate']);

/** One for each run. It searches each message once, because it is asked after every call. */
export class TodoReminder {
  #searched = 0;
  /** The last message that changed the list or reminded of it. */
  #last: number | undefined;

  /** Returns a reminder if it is due. */
  attachments(messages: MessageHistory): readonly Attachment[] {
    if (!this.#isDue(messages)) return [];
    const open = todosIn(messages).filter(({ status }) => status !== 'completed');
    if (open.length === 0) return [];
    const steps = open.map(({ content, status }) => `- ${content} (${status})`).join('\n');
    const text = `The list of steps has not changed for a while. Update it if it is out of date. Open steps:\n${steps}`;
    return [{ kind: 'reminder', about: 'todo', text }];
  }

  #isDue(messages: MessageHistory): boolean {
    // A compaction replaced messages.
    if (messages.length < this.#searched) [this.#searched, this.#last] = [0, undefined];
    const start = Math.max(this.#searched, messages.length - LOOK_BACK);
    const found = messages
      .since(start)
      .findLastIndex((message) => changesList(message) || isReminder(message));
    if (found >= 0) this.#last = start + found;
    this.#searched = messages.length;
    if (this.#last === undefined) return false;
    const answers = new Set(
      messages
        .since(this.#last + 1)
        .flatMap((message) => (message.type === 'assistant' ? [message.responseId] : [])),
    );
    return answers.size >= SILENT_ANSWERS;
  }
}

function changesList(message: Message): boolean {
  return (
    message.type === 'assistant' &&
    message.content.some((block) => block.type === 'tool_use' && LIST_TOOLS.has(block.name))
  );
}

function isReminder(message: Message): boolean {
  if (message.type !== 'attachment') return false;
  const { attachment } = message;
  return attachment.kind === 'reminder' && attachment.about === 'todo';
}
