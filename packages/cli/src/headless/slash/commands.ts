/** The commands that a prompt can be where there is no conversation at a terminal. Small: every start loads it. */
import type { Prompt } from '@heddle/agent';

interface LocalCommand {
  readonly name: string;
  /** What may stand behind it. */
  readonly hint: string;
  readonly help: string;
}

export const LOCAL_COMMANDS: readonly LocalCommand[] = [
  { name: 'compact', hint: '[instructions]', help: 'replaces the conversation by a hand-over' },
  { name: 'uncompact', hint: '', help: 'puts back what the last compaction replaced' },
  { name: 'context', hint: '', help: 'what fills the window' },
  { name: 'cost', hint: '', help: 'what this session has cost' },
  { name: 'help', hint: '', help: 'this list' },
];

/** What a prompt says that may be a command; undefined for words that are for the model in any case. */
export function slashText({ content, verbatim }: Prompt): string | undefined {
  if (verbatim) return undefined;
  const [only, ...others] =
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const text = only?.type === 'text' && others.length === 0 ? only.text.trim() : '';
  return text.startsWith('/') ? text : undefined;
}
