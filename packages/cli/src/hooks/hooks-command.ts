/** `heddle hooks`: lists the hooks of this folder, and runs those of one event to show their answers. */
import { HOOK_EVENT_NAMES, isHookEvent, settingsHooks } from '@heddle/agent/hooks';
import { appliedSettings, mergeSettings, untrustedNote } from '@heddle/agent/settings';
import { editDistance } from '../arguments/collect-flags.ts';
import { jsonObjectIn, printResult, readSubcommand } from '../arguments/subcommand.ts';
import { knownSecrets, learnSecrets } from '../known-secrets.ts';
import { NO_FLAGS, permissionSetup } from '../permissions/setup.ts';
import { hookFolderParts } from '../start/hook-ports.ts';
import { openPlugins } from '../start/open-plugins.ts';
import { jsonText } from '../terminal/escape-controls.ts';
import { misuse, warn } from '../terminal/write-message.ts';
import { hookFacts, hookList } from './list-hooks.ts';

const HELP = `heddle hooks list [EVENT] [--json]     the hooks that are declared for this folder, with their files
heddle hooks test EVENT [--input JSON]  runs the hooks of an event, and shows their answers and the effect

--input adds fields to a sample of the event, for example {"tool_name":"Write","tool_input":{"file_path":"a.ts"}}.
The hooks really run. Their answers have no other effect. Both commands take --settings and --json.
Hooks that let a model judge use your model, or --model NAME.
`;

export async function hooksCommand(argv: readonly string[]): Promise<number> {
  const read = readSubcommand(argv, {
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    input: { type: 'string', short: 'i' },
    settings: { type: 'string' },
    model: { type: 'string' },
  });
  if (!read.ok) return misuse(read.message);
  const { values, positionals } = read;
  const [verb = 'list', event, ...more] = positionals;
  const { settings, json = false } = values;
  if (values.help || verb === 'help') return printResult(HELP);
  if (more.length > 0) return misuse(`hooks ${verb} takes one event`);
  if (event !== undefined && !isHookEvent(event)) return misuse(unknownEvent(event));
  switch (verb) {
    case 'list': {
      const declared = await declaredHooks(settings);
      const shown = declared.filter(({ hook }) => event === undefined || hook.event === event);
      return printResult(json ? `${jsonText(shown.map(hookFacts), 2)}\n` : `${hookList(shown)}\n`);
    }
    case 'test': {
      if (event === undefined) return misuse('hooks test takes an EVENT, for example PreToolUse');
      const input = values.input === undefined ? {} : jsonObjectIn(values.input);
      if (input === undefined) return misuse('--input takes a JSON object');
      const { testHooks, testReport } = await import('./test-hooks.ts');
      const declared = await declaredHooks(settings);
      const elsewhere = hookFolderParts(declared, process.cwd());
      if (elsewhere.length > 0) warn(untrustedNote(elsewhere));
      // The runner does not redact values that take effect, such as a changed input. Here they are only shown.
      const tested = knownSecrets.redactValue(await testHooks(event, input, declared, values.model));
      return printResult(json ? `${jsonText(tested, 2)}\n` : testReport(tested));
    }
    default:
      return misuse(`hooks ${verb} is not a command. Use list or test.`);
  }
}

async function declaredHooks(settings: string | undefined) {
  const setup = await permissionSetup({ ...NO_FLAGS, settings });
  const { loaded, notes } = setup;
  learnSecrets(appliedSettings(loaded).env);
  const { declared, problems, disabled } = settingsHooks(loaded);
  const flags = { pluginDirs: [], pluginDirsNoMcp: [], bare: false };
  const plugins = await openPlugins(flags, loaded, mergeSettings(loaded.files), setup);
  for (const note of [...notes, ...plugins.notes, ...problems, ...(disabled === undefined ? [] : [disabled])])
    warn(note);
  return [...declared, ...plugins.hooks];
}

function unknownEvent(name: string): string {
  const near = HOOK_EVENT_NAMES.find((event) => editDistance(event.toLowerCase(), name.toLowerCase()) <= 2);
  const advice = near === undefined ? `There are ${HOOK_EVENT_NAMES.join(', ')}.` : `Did you mean ${near}?`;
  return `${name} is not a hook event. ${advice}`;
}
