/** The text that commands print, if it is written in them. */
import type { SimpleCommand } from './command.ts';

/** Returns the text, or undefined if a command may print something else. Escapes stay as they are written, except line ends. */
export function printedText(commands: readonly SimpleCommand[]): string | undefined {
  const texts = commands.map(printedBy);
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join('\n') : undefined;
}

function printedBy({ name, args, redirections, pipedText }: SimpleCommand): string | undefined {
  if (name?.kind !== 'literal' || args.some(({ kind }) => kind !== 'literal')) return undefined;
  switch (name.value) {
    case 'echo':
    case 'printf':
      return args
        .map(({ value }) => value)
        .join(' ')
        .replaceAll('\\n', '\n');
    case 'cat': {
      if (args.some(({ value }) => value !== '-')) return undefined;
      const given = redirections.flatMap((redirection) => {
        if (redirection.kind === 'here_doc') return [redirection.body];
        return redirection.kind === 'here_string' ? [redirection.target.value] : [];
      });
      return given.length > 0 ? given.join('\n') : pipedText;
    }
    default:
      return undefined;
  }
}
