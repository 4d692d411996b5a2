/** What the rehearsal model does in the demo: useful work, and three of the accidents that agents meet. */
import { breakOff, call, cut, say, type Step, unfinished } from '@heddle/testing';

const RUN_TEST = 'node test.mjs';

export const demoScript: readonly Step[] = [
  // The connection breaks after a first sentence: it is taken back, and the request tried again.
  [say('Let me look.'), breakOff()],
  [
    say('I read the test first, then I run it.'),
    call('Read', { file_path: 'test.mjs' }, 'read_test'),
    call('Bash', { command: RUN_TEST, description: 'Run the test' }, 'run_test'),
  ],
  // The answer is cut at the output limit: nothing of it is kept, and the limit is raised.
  [
    unfinished(
      say(
        'The test expects 5 and gets -1. Before I change anything, let me explain at length what addition is: ',
      ),
    ),
    cut(),
  ],
  [
    say('sum has its operands the wrong way round. I read it and swap them.'),
    call('Read', { file_path: 'sum.mjs' }, 'read_sum'),
    call('Edit', { file_path: 'sum.mjs', old_string: 'a - b', new_string: 'b - a' }, 'swap'),
  ],
  // It believes it is done without having looked; the stop hook runs the test and sends it back.
  say('Done: the test passes now.'),
  [
    say('It does not. sum subtracts, and should add.'),
    call('Edit', { file_path: 'sum.mjs', old_string: 'b - a', new_string: 'a + b' }, 'add'),
    call('Bash', { command: RUN_TEST, description: 'Run the test' }, 'run_again'),
  ],
  say('Fixed: sum adds, and the test passes.'),
];
