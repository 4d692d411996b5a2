/** Scripts in which an edit would run long after the decision, and named pipes in edits. */
import { ROOT } from '../world.ts';
import type { Theme } from './theme.ts';

const at = (names: string): string[] => names.split(' ').map((name) => `${ROOT}/${name}`);

const world = {
  files: at('a b log fifo src/x'),
  pipes: at('fifo'),
  links: { [`${ROOT}/lnk`]: `${ROOT}/fifo` },
};

const WAITS: readonly string[] = [
  'head -c 40G /dev/zero > /dev/null; mv a b',
  'head -c 40G /dev/zero; touch c',
  'cat /dev/tty && touch c',
  'wc -c < /dev/zero; touch c',
  'cat /proc/kmsg; touch c',
  'cat fifo; touch c',
  'cat ./fifo; touch c',
  'cat lnk; touch c',
  'cat < fifo; touch c',
  'grep x a fifo; touch c',
  'grep -f fifo a; touch c',
  'wc --files0-from=a; touch c',
  'tail -f log; touch c',
  'tail -F log || touch c',
  'tail -n5f log; touch c',
  'tail -fn5 log; touch c',
  'tail --follow log; touch c',
  'tail --fol=name log; touch c',
  'tail -f --pid=1 log; touch c',
  'tail --retry log; touch c',
  'tail +5f log; touch c',
  'grep -r x /; touch c',
  'ls -R /; touch c',
  'ls -R ..; touch c',
  'touch d; cat fifo; touch c',
  'cat a; cat fifo; echo x > c',
  'cp fifo c',
  'mv a fifo',
  'echo x > fifo',
  'sed -i s/a/b/ fifo',
  'rm fifo',
  'touch fifo',
  'sed -i s/a/b/ a fifo b',
];

const ENDS: readonly string[] = [
  'cat a; touch c',
  'cat a > c; cat c',
  'grep -n x a && sed -i s/x/y/ a',
  'grep -rn x src && touch c',
  'touch c; tail -n 5 log',
  'tail -n 5 log; touch c',
  'tail -5 log && touch c',
  'ls -la; mkdir c && ls c',
  'ls; head -n 3 a < /dev/null; touch c',
  'touch c; cat /etc/hosts',
  'head -n 3 /etc/hosts > c',
  'wc -l a; echo x >> c',
];

export const WAITING_EDITS: readonly Theme[] = [
  {
    theme: 'an edit that may run long after its decision',
    mode: 'acceptEdits',
    world,
    asked: WAITS,
    allowed: ENDS,
  },
];
