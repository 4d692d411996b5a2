/** `heddle sessions`: lists, shows, searches, renames, exports and deletes sessions. */
import { UsageError } from '../arguments/list-flags.ts';
import { misuse, writeMessage } from '../terminal/write-message.ts';
import { readSessionsCommand, type SessionsCommand } from './parse-command.ts';

const HELP = `heddle sessions [list]            the sessions of this folder; --all, --limit N (0: all), --json
heddle sessions show ID           the facts and the conversation of a session; --full, --json
heddle sessions search WORDS      finds text in conversations; --regex, --all, --limit N, --json
heddle sessions rename ID TITLE   an empty title removes the name; --json
heddle sessions export ID         --format markdown (default), json or html; --output FILE
heddle sessions delete ID…        deletes sessions and their files; --yes asks no question, --json
heddle sessions prune             --older-than 30d, --larger-than 500MB, --keep N; --all, --dry-run, --yes, --json

ID is the id of a session, its beginning (4 letters or more), or the exact title. A session that a process is
writing to is neither renamed nor deleted. prune deletes the sessions that match all given conditions; --keep
keeps the newest N.
`;

export async function sessionsCommand(argv: readonly string[]): Promise<number> {
  let command: SessionsCommand;
  try {
    command = readSessionsCommand(argv);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return misuse(thrown.message);
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
