/** `heddle demo`: a real run, offline. The model is rehearsed; the loop, the tools, the session and the accidents are real. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { styleText } from 'node:util';
import { createAgent, newSession, type SdkResult, systemClock, VERSION } from '@heddle/agent';
import { scriptedModel } from '@heddle/testing';
import { builtinTools } from '@heddle/tools';
import { harmless } from '../terminal/harmless.ts';
import { say } from '../terminal/say.ts';
import { demoScript } from './script.ts';
import { createNarrator, explainEnd } from './narrate.ts';
import { buildStage } from './stage.ts';

const PROMPT = 'The test fails. Fix it.';

export async function runDemo(argv: readonly string[] = []): Promise<number> {
  if (argv.length > 0) {
    process.stderr.write(`heddle: demo takes no words, not ${harmless(argv.join(' '))}\n`);
    return 2;
  }
  const write = (line: string): void => say(`${line}\n`);
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
