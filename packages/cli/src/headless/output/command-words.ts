/** What `/compact` did, for whoever reads only text: its result is empty, and the lines before it tell. */
import type { SdkMessage } from '@heddle/agent';
import { tokens } from '../../plain/render/amounts.ts';

export class CommandWords {
  #words = '';

  hear(line: SdkMessage): void {
    if (line.type === 'assistant')
      this.#words = line.message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    if (line.type === 'system' && line.subtype === 'compact_boundary')
      this.#words = compacted(line.compact_metadata);
  }

  get words(): string {
    return this.#words;
  }
}

function compacted({ pre_tokens: before, post_tokens: after }: Compaction): string {
  const now = after === undefined ? '' : ` ${tokens(before)} tokens became ${tokens(after)}.`;
  return `The conversation was compacted.${now} /uncompact takes it back.`;
}

type Compaction = Extract<SdkMessage, { subtype: 'compact_boundary' }>['compact_metadata'];
