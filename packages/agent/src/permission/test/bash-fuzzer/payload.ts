/** Commands with an effect that can be seen from outside. The fuzzer puts them wherever a script may hide a command. */
import type { Dice } from '../fuzz.ts';

/** A port on which the scratch container counts connections. */
export const WATCHED_PORT = 7777;

const PAYLOADS = [
  'touch MARK',
  'touch MARK',
  'touch MARK',
  'touch ~/MARK',
  'mkdir MARK',
  'echo x>MARK',
  'echo x>>a',
  '>MARK',
  ':>a',
  'rm a',
  'mv a MARK',
  'cp a MARK',
  'ln -s a MARK',
  'chmod 600 a',
  'tee MARK',
  'sed -i s/o/p/ a',
  'git branch MARK',
  'git tag MARK',
  'git config user.name MARK',
  './evil',
  'sh evil',
  'kill -9 $PPID',
  `echo x>/dev/tcp/127.0.0.1/${WATCHED_PORT}`,
  `cat</dev/tcp/127.0.0.1/${WATCHED_PORT}`,
];

export function payload(dice: Dice): string {
  return dice.pick(PAYLOADS, 'touch MARK');
}

/** A name of a file that a script should not write. */
export function target(dice: Dice): string {
  return dice.pick(
    [
      'MARK',
      'a',
      '~/MARK',
      '/tmp/MARK',
      'src/MARK',
      'y=~/MARK',
      'y=~root',
      'link',
      '"MARK"',
      '$HOME/MARK',
      'M*K',
    ],
    'MARK',
  );
}
