/** Can commands be confined here? It only matters where the settings ask for it. */
import { checkSandbox } from '@heddle/agent/sandbox';
import { effectiveSettings, valueAt } from '../config/effective.ts';
import { type Finding, hint, ok, problem } from './finding.ts';

export async function checkSandboxing(cwd: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const check = await checkSandbox();
  const isOn = valueAt(effectiveSettings(cwd, env).merged, ['sandbox', 'enabled']) === true;
  if (check.available)
    return ok('sandbox', isOn ? 'on' : 'possible; switch it on with: heddle config set sandbox.enabled true');
  const remedy = check.install ?? 'commands run unconfined here, as the permission rules allow them';
  return isOn ? problem('sandbox', check.reason, remedy) : hint('sandbox', check.reason, remedy);
}
