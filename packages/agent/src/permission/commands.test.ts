/** The table of commands, with the real grammar: what is decided about each, by theme. */
import { describe, expect, it } from 'vitest';
import { decided, shell } from './test/ask.ts';
import { ACCEPTED_EDITS } from './test/table/accepted-edits.ts';
import { AGENTS } from './test/table/agents.ts';
import { ADDRESSES } from './test/table/addresses.ts';
import { DECODED_NAMES } from './test/table/decoded-names.ts';
import { ARCHIVED_FILES } from './test/table/archived-files.ts';
import { CERTAIN_READS } from './test/table/certain-reads.ts';
import { CHANGED_FOLDERS } from './test/table/changed-folders.ts';
import { COMBINED_NAMES } from './test/table/combined-names.ts';
import { COMPUTED_NAMES, DENIED_SEARCHES } from './test/table/computed-names.ts';
import { CONTAINERS } from './test/table/containers.ts';
import { COPIED_CONTENTS } from './test/table/copied-contents.ts';
import { COVERING } from './test/table/covering.ts';
import { CURL_FILES } from './test/table/curl-files.ts';
import { COMMANDS_ON_INPUT } from './test/table/commands-on-input.ts';
import { EVASIONS } from './test/table/evasions.ts';
import { EXPANDED_WORDS } from './test/table/expanded-words.ts';
import { FILES } from './test/table/files.ts';
import { FOUND_NAMES } from './test/table/found-names.ts';
import { GIT } from './test/table/git.ts';
import { GIT_REMOVALS } from './test/table/git-removals.ts';
import { GLOBS } from './test/table/globs.ts';
import { GROUPED_OPTIONS } from './test/table/grouped-options.ts';
import { HOSTS_IN_WORDS } from './test/table/hosts-in-words.ts';
import { FORBIDDING } from './test/table/forbidding.ts';
import { LINKS } from './test/table/links.ts';
import { LOADED_CODE } from './test/table/loaded-code.ts';
import { LOOPS } from './test/table/loops.ts';
import { MADE_PROGRAMS } from './test/table/made-programs.ts';
import { MAKE_WORDS } from './test/table/make-words.ts';
import { NAMED } from './test/table/named.ts';
import { VALUES_OF_WORDS } from './test/table/values-of-words.ts';
import { UNUSUAL_NAMES } from './test/table/unusual-names.ts';
import { OTHER_NAMES } from './test/table/other-names.ts';
import { SEARCHED_FILES } from './test/table/searched-files.ts';
import { OUTPUTS_OF_PROGRAMS } from './test/table/outputs-of-programs.ts';
import { PLACES } from './test/table/places.ts';
import { PRINTED_CONTENTS } from './test/table/printed-contents.ts';
import { PROGRAM_OPTIONS } from './test/table/program-options.ts';
import { DENIED_PLACES } from './test/table/denied-places.ts';
import { DENIED_READERS } from './test/table/denied-readers.ts';
import { KNOWN_READS } from './test/table/known-reads.ts';
import { PROGRAM_SETTINGS } from './test/table/program-settings.ts';
import { QUOTED_PATTERNS } from './test/table/quoted-patterns.ts';
import { READING } from './test/table/reading.ts';
import { START_UP_FILES } from './test/table/start-up-files.ts';
import { EDIT_RULES } from './test/table/theme.ts';
import { SYNCHRONIZED } from './test/table/synchronized.ts';
import { TRANSFERRED_NAMES } from './test/table/transferred-names.ts';
import { TRICKS } from './test/table/tricks.ts';
import { UNDERSTOOD_OPTIONS } from './test/table/understood-options.ts';
import { SPLIT_WORDS } from './test/table/split-words.ts';
import { UNKNOWN_WORDS } from './test/table/unknown-words.ts';
import { UNSEEN } from './test/table/unseen.ts';
import { WIDER_WORDS } from './test/table/wider-words.ts';
import { WAITING_EDITS } from './test/table/waiting-edits.ts';

const themes = [
  ...READING,
  ...COVERING,
  ...FORBIDDING,
  ...FILES,
  ...PLACES,
  ...GLOBS,
  ...GIT,
  ...TRICKS,
  ...UNSEEN,
  ...EVASIONS,
  ...COMMANDS_ON_INPUT,
  ...NAMED,
  ...UNUSUAL_NAMES,
  ...VALUES_OF_WORDS,
  ...MAKE_WORDS,
  ...OTHER_NAMES,
  ...SEARCHED_FILES,
  ...FOUND_NAMES,
  ...CURL_FILES,
  ...QUOTED_PATTERNS,
  ...SPLIT_WORDS,
  ...UNKNOWN_WORDS,
  ...EXPANDED_WORDS,
  ...LINKS,
  ...LOOPS,
  ...ACCEPTED_EDITS,
  ...DENIED_PLACES,
  ...DENIED_READERS,
  ...KNOWN_READS,
  ...PROGRAM_OPTIONS,
  ...GROUPED_OPTIONS,
  ...LOADED_CODE,
  ...PROGRAM_SETTINGS,
  ...GIT_REMOVALS,
  ...CHANGED_FOLDERS,
  ...TRANSFERRED_NAMES,
  ...START_UP_FILES,
  ...CONTAINERS,
  ...ADDRESSES,
  ...HOSTS_IN_WORDS,
  ...COMPUTED_NAMES,
  ...WAITING_EDITS,
  ...COPIED_CONTENTS,
  ...ARCHIVED_FILES,
  ...DECODED_NAMES,
  ...PRINTED_CONTENTS,
  ...SYNCHRONIZED,
  ...MADE_PROGRAMS,
  ...CERTAIN_READS,
  ...OUTPUTS_OF_PROGRAMS,
  ...COMBINED_NAMES,
  ...AGENTS,
  ...WIDER_WORDS,
  ...UNDERSTOOD_OPTIONS,
];

describe.each(themes)('$theme', ({ theme: _theme, allowed = [], asked = [], denied = [], ...setting }) => {
  const cases = [
    ...allowed.map((command) => ['allow', command] as const),
    ...asked.map((command) => ['ask', command] as const),
    ...denied.map((command) => ['deny', command] as const),
  ];
  it.each(cases)('%s: %s', (decision, command) => {
    const verdict = shell(command, setting);
    expect(verdict).toMatchObject({ decision });
    expect(verdict.parts.length).toBeGreaterThan(0);
  });
});

it('keeps denied files from programs that read or search, in every mode', () => {
  const modes = ['default', 'plan', 'acceptEdits', 'bypassPermissions'] as const;
  const leaks = [...DENIED_READERS, DENIED_SEARCHES].flatMap(({ asked = [], denied = [], ...setting }) =>
    modes.flatMap((mode) =>
      [...asked, ...denied]
        .filter((command) => shell(command, { ...setting, mode }).decision === 'allow')
        .map((command) => `${mode}: ${command}`),
    ),
  );
  expect(leaks).toEqual([]);
});

it('asks in acceptEdits about every script that is asked about although rules allow its edits', () => {
  const open = themes
    .filter(
      ({ mode, rules }) => mode === undefined && EDIT_RULES.every((rule) => rules?.allow?.includes(rule)),
    )
    .flatMap(({ asked = [], rules, ...setting }) => {
      const allow = rules?.allow?.filter((rule) => !EDIT_RULES.includes(rule)) ?? [];
      return asked.filter(
        (command) =>
          shell(command, { ...setting, rules: { ...rules, allow }, mode: 'acceptEdits' }).decision !== 'ask',
      );
    });
  expect(open).toEqual([]);
});

it('has at least 1,000 commands', () => {
  const count = themes.reduce(
    (sum, { allowed = [], asked = [], denied = [] }) => sum + allowed.length + asked.length + denied.length,
    0,
  );
  expect(count).toBeGreaterThanOrEqual(1_000);
});

it('accepts no edits of a script in the background', () => {
  const command = 'touch c';
  const decision = (tool: string, more: object = {}) =>
    decided(tool, { command, ...more }, { mode: 'acceptEdits' }).decision;
  expect(decision('Bash')).toBe('allow');
  expect(decision('Bash', { run_in_background: false })).toBe('allow');
  expect(decision('Bash', { run_in_background: true })).toBe('ask');
  expect(decision('Monitor', { description: 'x' })).toBe('ask');
});
