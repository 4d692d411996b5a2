/** Facts about the open session for the status line of a rich screen, the most important first. */
import { currentBranch, totalCost } from '@heddle/agent';
import path from 'node:path';
import { modelText } from '../../start/model-options.ts';
import { dollars, pluralize, shortened } from '../../terminal/amounts.ts';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { Style } from '../../terminal/style.ts';
import type { OpenSession } from './open-session.ts';

const MAX_NAME_LENGTH = 40;

export async function sessionFacts({ started, options }: OpenSession, style: Style): Promise<string[]> {
  const { agent, tasks } = started;
  const { paint } = style;
  const running =
    tasks.list().filter(({ end }) => end === undefined).length +
    (agent.subagents?.list() ?? []).filter(({ isRunning, record }) => isRunning && record.isBackground)
      .length;
  const mode = agent.permissionMode;
  const isCareful = mode === 'default' || mode === 'plan';
  return [
    // The mode decides what runs without a question, so it stays on a narrow screen.
    ...(mode === 'default' ? [] : [paint(isCareful ? 'cyan' : 'yellow', mode)]),
    escapeControls(shortened(modelText(options), MAX_NAME_LENGTH)),
    ...(await windowFact(agent, style)),
    ...(running > 0 ? [pluralize(running, 'background task')] : []),
    ...costFacts(agent.spending),
    escapeControls(placeOf(options.cwd)),
  ];
}

type Agent = OpenSession['started']['agent'];

/** The part of the window that is left. A new session has nothing to report. */
async function windowFact(agent: Agent, { paint }: Style): Promise<string[]> {
  if (agent.messages.length === 0) return [];
  const { state, window } = await agent.contextUsage();
  const left = `${Math.max(0, 100 - Math.round((state.tokens / window) * 100))} % left`;
  return [state.state === 'fine' ? left : paint('yellow', left)];
}

function costFacts(spending: Agent['spending']): string[] {
  const { costUsd, models } = spending;
  const usages = Object.values(models);
  const read = usages.reduce((sum, usage) => sum + usage.cacheReadInputTokens, 0);
  const input = usages.reduce((sum, usage) => sum + usage.inputTokens + usage.cacheCreationInputTokens, read);
  if (input === 0) return [];
  const cost = costUsd === 0 && totalCost(spending) === null ? 'cost unknown' : dollars(costUsd);
  return [cost, ...(read > 0 ? [`${Math.round((read / input) * 100)} % cached`] : [])];
}

function placeOf(cwd: string): string {
  const branch = currentBranch(cwd);
  const folder = shortened(path.basename(cwd), MAX_NAME_LENGTH);
  return branch === undefined ? folder : `${folder} (${shortened(branch, MAX_NAME_LENGTH)})`;
}
