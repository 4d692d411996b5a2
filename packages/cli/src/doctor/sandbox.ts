/** Can commands be confined here? The sandbox only matters if the settings ask for it; the read-only view always does. */
import { checkSandbox } from '@heddle/agent/sandbox';
import { effectiveSettings, valueAt } from '../config/effective.ts';
import { missingView } from '../headless/sandbox.ts';
import { type Finding, hint, ok, problem } from './finding.ts';

export async function checkView(cwd: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const isOff = valueAt(effectiveSettings(cwd, env).merged, ['sandbox', 'readOnlyView']) === 'off';
  if (isOff)
    return hint(
      'reading',
      VIEW_OFF,
      'switch the read-only view on with: heddle config set sandbox.readOnlyView auto',
    );
  const missing = await missingView();
  if (missing === undefined) return ok('reading', VIEW_ON);
  return hint('reading', missing, 'on Linux, install bubblewrap');
}

const VIEW_ON = 'commands that are proven to only read run in a read-only view';
const VIEW_OFF =
  'the read-only view is switched off; commands that are proven to only read run without a second safeguard';

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
