/** `/status` and `/cost`. */
import { LivePermissions, VERSION } from '@heddle/agent';
import { missingView } from '../../headless/sandbox.ts';
import { harmless } from '../../terminal/harmless.ts';
import { dollars, tokens } from '../render/amounts.ts';
import { nearPath } from '../render/call.ts';
import { instructionFiles } from '../session/instruction-files.ts';
import { modelWords } from '../session/model-words.ts';
import type { Chat } from './command.ts';

export async function status({ started, options, cwd, say }: Chat): Promise<void> {
  const { agent, session, tasks } = started;
  const running = tasks.list().filter(({ end }) => end === undefined).length;
  const instructions = instructionFiles(started.userContext).map((file) => nearPath(file, cwd));
  const folders = options.rules instanceof LivePermissions ? options.rules.directories : [];
  const standing = session.projection.stance?.workingDirectory ?? cwd;
  const { state, thresholds } = await agent.contextUsage();
  const rows: readonly (readonly [string, string])[] = [
    ['version', VERSION],
    ['session', agent.sessionId],
    ['kept in', session.journal.path ?? 'memory only'],
    ['folder', cwd],
    ...(standing === cwd ? [] : [['commands run in', standing] as const]),
    ...(folders.length > 0 ? [['more folders', folders.join(', ')] as const] : []),
    ['instructions', instructions.length > 0 ? instructions.join(', ') : 'none'],
    ['model', modelWords(options)],
    ['effort', options.requestOptions?.effort ?? 'the model decides'],
    ['mode', agent.permissionMode],
    ['sandbox', options.sandboxSettings?.enabled ? 'on' : 'off'],
    ['read-only view', await viewState(options)],
    ['key from', options.apiKeySource ?? 'none'],
    ['messages', String(agent.messages.length)],
    ['tokens', `${tokens(state.tokens)}; compacts at ${tokens(thresholds.autoCompact)}`],
    ['in the background', String(running)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  say(rows.map(([name, value]) => `  ${name.padEnd(width)}  ${harmless(value)}`).join('\n'));
}

/** Whether a command that is proven to only read runs in the view, or on the proof alone. */
async function viewState({ sandboxSettings }: Chat['options']): Promise<string> {
  if (sandboxSettings?.readOnlyView === 'off') return 'off';
  return (await missingView()) ?? 'on';
}

export function cost({ started, say }: Chat): void {
  const { costUsd, models } = started.agent.spending;
  const rows = Object.entries(models).map(([model, usage]) => {
    const price = usage.costUSD === null ? 'cost unknown' : dollars(usage.costUSD);
    const cached = usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
    const all = cached + usage.inputTokens;
    const hit = all === 0 ? 0 : Math.round((usage.cacheReadInputTokens / all) * 100);
    return `  ${harmless(model)}: ${price}, ${tokens(all)} in (${hit} % from the cache), ${tokens(usage.outputTokens)} out`;
  });
  const unknown = Object.values(models).some(({ costUSD }) => costUSD === null);
  say(
    [`${dollars(costUsd)} in this session${unknown ? ', as far as prices are known' : ''}`, ...rows].join(
      '\n',
    ),
  );
}
