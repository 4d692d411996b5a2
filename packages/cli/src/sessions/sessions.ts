/** `heddle sessions`: look at sessions, search them, name them, hand them on, and tidy up. */
import { UsageError } from '../arguments/list-flags.ts';
import { writeMessage } from '../terminal/write-message.ts';
import { readSessionsCommand, type SessionsCommand } from './parse-command.ts';

const HELP = `heddle sessions [list]            the sessions of this folder; --all, --limit N (0: all), --json
heddle sessions show ID           what is known of one, and its conversation; --full, --json
heddle sessions search WORDS      where something was said; --regex, --all, --limit N, --json
heddle sessions rename ID TITLE   an empty title takes the name back; --json
heddle sessions export ID         --format markdown (default), json or html; --output FILE
heddle sessions delete ID…        with all that is theirs; --yes asks no question, --json
heddle sessions prune             --older-than 30d, --larger-than 500MB, --keep N; --all, --dry-run, --yes, --json

ID is a session's id, the beginning of it (4 letters or more), or its exact title. Sessions that a process is
writing to are neither renamed nor deleted. prune takes those to which everything that is said applies; --keep
leaves the newest N.
`;

export async function sessionsCommand(argv: readonly string[]): Promise<number> {
  let command: SessionsCommand;
  try {
    command = readSessionsCommand(argv);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    process.stderr.write(`heddle: ${thrown.message}\n`);
    return 2;
  }
  switch (command.name) {
    case 'help':
      writeMessage(HELP);
      return 0;
    case 'list':
      return (await import('./list.ts')).listCommand(command);
    case 'show':
      return (await import('./show.ts')).show(command);
    case 'search':
      return (await import('./search.ts')).search(command);
    case 'rename':
      return (await import('./show.ts')).renameCommand(command);
    case 'export':
      return (await import('./export/export.ts')).exportSession(command);
    case 'delete':
      return (await import('./remove.ts')).remove(command);
    case 'prune':
      return (await import('./remove.ts')).prune(command);
  }
}
