/** The plain conversation: prompts typed line by line, answers as they come. */
import type { ChatCommand } from '../arguments.ts';

export function chat(_command: ChatCommand): Promise<number> {
  process.stderr.write(
    'heddle: an interactive terminal is not built yet; run a prompt with: heddle -p "…"\n',
  );
  return Promise.resolve(2);
}
