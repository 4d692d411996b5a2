/** `heddle demo`: a real run, offline. The model is rehearsed; the loop, the tools, the session and the accidents are real. */
import { createAgent, newSession, type SdkResult, systemClock, VERSION } from '@heddle/agent';
import { breakOff, call, cut, say, scriptedModel, type ScriptStep, unfinished } from '@heddle/testing';
import { builtinTools } from '@heddle/tools';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { styleText } from 'node:util';
import { escapeControls } from '../terminal/escape-controls.ts';
import { writeMessage } from '../terminal/write-message.ts';
import { createNarrator, explainEnd } from './narrate.ts';

const PROMPT = 'The test fails. Fix it.';

export async function runDemo(argv: readonly string[] = []): Promise<number> {
  if (argv.length > 0) {
    process.stderr.write(`heddle: demo takes no words, not ${escapeControls(argv.join(' '))}\n`);
    return 2;
  }
  const write = (line: string): void => writeMessage(`${line}\n`);
  const folder = buildStage();
  const place = { configDir: path.join(folder, '.session'), cwd: folder };
  const opened = newSession(
    { place, version: VERSION, durability: 'process', now: systemClock.now },
    randomUUID(),
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
    // When the model calls it a day, the hook looks for itself.
    hooks: {
      stop: () => {
        const { passes, output } = runTest(folder);
        return Promise.resolve(passes ? {} : { block: `The test still fails: ${output}` });
      },
    },
    onEvent: (event) => narrator.tell(event),
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
  write(`  went on because of: ${narrator.reasons.join(' → ')}`);
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

const RUN_TEST = 'node test.mjs';

export const demoScript: readonly ScriptStep[] = [
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

export function buildStage(): string {
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
