/** The rehearsal model: it needs no network and no key, looks at one file, and says what it is. */
import { type ModelRequest, textOf } from '@heddle/core';
import { call, say, type Step } from '@heddle/testing';

export function rehearsal(request: ModelRequest): Step {
  const results = [...request.messages].flatMap((message) =>
    message.content.filter((block) => block.type === 'tool_result'),
  );
  const canRead = request.tools.some((tool) => tool.name === 'Read');
  if (canRead && results.length === 0) {
    return [
      say('This is a rehearsal: no model is asked. I look at the README first.'),
      call('Read', { file_path: 'README.md' }, 'rehearsal_1'),
    ];
  }
  // Some write its name in small letters; the tool says so.
  const [first] = results;
  const [, meant] =
    /Did you mean (readme\S*)\?/i.exec(first && results.length === 1 ? textOf(first.content) : '') ?? [];
  if (meant !== undefined) return call('Read', { file_path: meant }, 'rehearsal_2');
  const found = results.some((result) => result.is_error !== true);
  return say(
    found
      ? 'I read the README. The rehearsal is over: choose a real model with --model to work on this.'
      : 'There is no README I could read. The rehearsal is over: choose a real model with --model to work on this.',
  );
}
