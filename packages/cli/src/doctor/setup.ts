/** What the user set up: settings, trust, models. */
import { counted } from '../plain/render/amounts.ts';
import { permissionSetup, NO_FLAGS } from '../permissions/setup.ts';
import { type Finding, hint, ok, problem } from './finding.ts';

export async function checkSettings(cwd: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const setup = await permissionSetup(NO_FLAGS, cwd, env);
  const { loaded, mode, rules, problems, doubts, leftOut, notRun, modeRefused } = setup;
  const count = rules.allow.length + rules.ask.length + rules.deny.length;
  const read = ok(
    'settings',
    `${counted(loaded.files.length, 'file')}, ${counted(count, 'rule')}, mode ${mode}`,
  );
  return [
    ...(problems.length === 0 ? [read] : []),
    ...problems.map((text) =>
      problem('settings', text, 'mend the file it names; heddle config path lists them'),
    ),
    ...doubts.map((text) => hint('rules', text, 'the rule is kept; if it is a slip, mend it in the file')),
    ...notRun.map((text) => problem('hooks', text, 'write deny or ask rules: heddle permissions add')),
    ...modeRefused.map((text) => hint('mode', text, 'choose another defaultMode: heddle config path')),
    ...leftOut.map((text) => hint('trust', text, 'heddle permissions trust')),
  ];
}
