/**
 * `heddle demo`: a real run without network. Only the model is scripted. The loop, the tools, the session and the
 * recoveries are real.
 */
import { createAgent, newSession, type SdkResult, systemClock, VERSION, newUuid } from '@heddle/agent';
import {
  breakOff,
  call,
  cut,
  say,
  scriptedModel,
  type ScriptStep,
  unfinished,
} from '@heddle/testing/scripted';
import { builtinTools } from '@heddle/tools';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { styleText } from 'node:util';
import { shellQuoted } from '../terminal/escape-controls.ts';
import { misuse, writeMessage } from '../terminal/write-message.ts';
import { createNarrator, explainEnd } from './narrate.ts';

const PROMPT = 'The test fails. Fix it.';

export async function runDemo(argv: readonly string[] = []): Promise<number> {
  if (argv.length > 0) return misuse(`demo takes no arguments, not ${argv.join(' ')}`);
  const write = (line: string): void => writeMessage(`${line}\n`);
  const folder = createDemoProject();
  const place = { configDir: path.join(folder, '.session'), cwd: folder };
  const opened = newSession(
    { place, version: VERSION, durability: 'process', now: systemClock.now },
    newUuid(),
  );
  if (!opened.ok) throw new Error(opened.message);
  const { journal } = opened.session;
  const narrator = createNarrator(write);
  const model = scriptedModel(demoScript, { clock: systemClock });
  const agent = createAgent({
    model,
    modelName: 'rehearsal',
    tools: builtinTools(),
    cwd: folder,
    session: opened.session,
    permissionMode: 'bypassPermissions',
    // When the model claims to be done, the hook runs the test.
    hooks: {
      stop: () => {
        const { passes, output } = runTest(folder);
        return Promise.resolve(passes ? {} : { block: `The test still fails: ${output}` });
      },
    },
    onEvent: (event) => narrator.narrate(event),
    price: () => 0,
  });

  write(styleText('bold', `\n${PROMPT}`) + styleText('dim', `   (in ${folder})\n`));
  const { result, reason } = await play(agent.submit(PROMPT));
  journal.close();
  const { passes } = runTest(folder);
  write('');
  write(styleText('bold', `■ ${reason}`));
  write(
    `  ${result.num_turns} answers, ${model.calls.length} requests, ${result.usage.output_tokens} output tokens, $${(result.total_cost_usd ?? 0).toFixed(2)}`,
  );
  write(`  continued because of: ${narrator.reasons.join(' → ')}`);
  write(`  the test now ${passes ? styleText('green', 'passes') : styleText('red', 'fails')}`);
  write(`  every step is in ${journal.path ?? 'memory'}`);
  return !result.is_error && passes ? 0 : 1;
}

async function play(
  run: ReturnType<ReturnType<typeof createAgent>['submit']>,
): Promise<{ result: SdkResult; reason: string }> {
  let result: SdkResult | undefined;
  while (true) {
    const next = await run.next();
    if (!next.done) {
      if (next.value.type === 'result') result = next.value;
      continue;
    }
    if (!result) throw new Error('The run ended without a result line.');
    return { result, reason: `${next.value.reason}: ${explainEnd(next.value)}` };
  }
}

function runTest(folder: string): { readonly passes: boolean; readonly output: string } {
  const { status, stdout } = spawnSync(process.execPath, ['test.mjs'], { cwd: folder, encoding: 'utf8' });
  return { passes: status === 0, output: stdout.trim() };
}

/** The search path may name another program `node`, also in the folder in which the demo starts. */
const RUN_TEST = `${shellQuoted(process.execPath)} test.mjs`;

export const demoScript: readonly ScriptStep[] = [
  // The connection breaks after the first sentence. The loop retracts the sentence and retries the request.
  [say('Let me look.'), breakOff()],
  [
    say('I read the test first, then I run it.'),
    call('Read', { file_path: 'test.mjs' }, 'read_test'),
    call('Bash', { command: RUN_TEST, description: 'Run the test' }, 'run_test'),
  ],
  // The answer is cut at the output limit. The loop drops it and repeats the request with a higher limit.
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
  // The model claims to be done without running the test. The stop hook runs it and sends the model back.
  say('Done: the test passes now.'),
  [
    say('It does not. sum subtracts, and should add.'),
    call('Edit', { file_path: 'sum.mjs', old_string: 'b - a', new_string: 'a + b' }, 'add'),
    call('Bash', { command: RUN_TEST, description: 'Run the test' }, 'run_again'),
  ],
  say('Fixed: sum adds, and the test passes.'),
];

export function createDemoProject(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-demo-'));
  writeFileSync(path.join(folder, 'sum.mjs'), 'export function sum(a, b) {\n  return a - b;\n}\n');
  writeFileSync(
    path.join(folder, 'test.mjs'),
    [
      "import { sum } from './sum.mjs';",
      '',
      'const got = sum(2, 3);',
      'if (got !== 5) {',
      '  console.log(`not ok: sum(2, 3) is ${got}, expected 5`);',
      '  process.exit(1);',
      '}',
      "console.log('ok: sum(2, 3) is 5');",
      '',
    ].join('\n'),
  );
  return folder;
}
