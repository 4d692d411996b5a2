/** `heddle completions bash|zsh|fish`: a script for the shell, made from the same tables as `--help`. */
import { harmless } from '../terminal/harmless.ts';
import { say } from '../terminal/say.ts';
import { SHELLS } from './shells.ts';

const HELP = `heddle completions bash|zsh|fish   prints a script for your shell

  bash   heddle completions bash > ~/.local/share/bash-completion/completions/heddle
  zsh    heddle completions zsh > a file named _heddle in a folder of your $fpath
  fish   heddle completions fish > ~/.config/fish/completions/heddle.fish
`;

export async function completions(argv: readonly string[]): Promise<number> {
  const [shell = 'help', ...more] = argv;
  if (shell === 'candidates') return (await import('./candidates.ts')).tellCandidates(more);
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script && more.length === 0) say(script());
  else if (shell === 'help' || shell === '--help' || shell === '-h') say(HELP);
  else {
    process.stderr.write(`heddle: completions takes bash, zsh or fish, not ${harmless(argv.join(' '))}\n`);
    return 2;
  }
  return 0;
}
