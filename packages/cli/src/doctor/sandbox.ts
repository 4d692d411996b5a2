/** Can commands be confined here? It only matters where the settings ask for it. */
import { checkSandbox } from '@heddle/agent/sandbox';
import { effectiveSettings, valueAt } from '../config/effective.ts';
import { type Finding, hint, ok, problem } from './finding.ts';

export async function checkSandboxing(cwd: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const check = await checkSandbox();
  const isOn = valueAt(effectiveSettings(cwd, env).merged, ['sandbox', 'enabled']) === true;
  if (check.available)
    return ok('sandbox', isOn ? 'on' : 'possible; switch it on with: heddle config set sandbox.enabled true');
  if (isOn)
    return problem(
      'sandbox',
      check.reason,
      check.install ??
        'commands are refused until it works or is switched off: heddle config set sandbox.enabled false',
    );
  return hint('sandbox', check.reason, check.install ?? 'permission rules alone decide about commands here');
}
