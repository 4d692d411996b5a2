/** All themes of the table of commands. */
import { ACCEPTED_EDITS } from './accepted-edits.ts';
import { AGENTS } from './agents.ts';
import { ADDRESSES } from './addresses.ts';
import { DECODED_NAMES } from './decoded-names.ts';
import { ARCHIVED_FILES } from './archived-files.ts';
import { BEHIND_RUNNERS } from './behind-runners.ts';
import { CERTAIN_READS } from './certain-reads.ts';
import { CHANGED_FOLDERS } from './changed-folders.ts';
import { COMBINED_NAMES } from './combined-names.ts';
import { COMPUTED_NAMES } from './computed-names.ts';
import { CONNECTED_HOSTS } from './connected-hosts.ts';
import { CONTAINERS } from './containers.ts';
import { COPIED_CONTENTS } from './copied-contents.ts';
import { COVERING } from './covering.ts';
import { CURL_FILES } from './curl-files.ts';
import { COMMANDS_ON_INPUT } from './commands-on-input.ts';
import { EMPTIED_FOLDERS } from './emptied-folders.ts';
import { EVASIONS } from './evasions.ts';
import { EXPANDED_WORDS } from './expanded-words.ts';
import { FILES } from './files.ts';
import { FOUND_NAMES } from './found-names.ts';
import { GIT } from './git.ts';
import { GIT_REMOVALS } from './git-removals.ts';
import { GIVEN_FILES } from './given-files.ts';
import { GLOBS } from './globs.ts';
import { GROUPED_OPTIONS } from './grouped-options.ts';
import { HOSTS_IN_WORDS } from './hosts-in-words.ts';
import { FORBIDDING } from './forbidding.ts';
import { JOINED_WORDS } from './joined-words.ts';
import { LINKS } from './links.ts';
import { LOADED_CODE } from './loaded-code.ts';
import { LOGINS } from './logins.ts';
import { LOOPS } from './loops.ts';
import { MADE_PROGRAMS } from './made-programs.ts';
import { MAKE_WORDS } from './make-words.ts';
import { PARTS_OF_WORDS } from './parts-of-words.ts';
import { NAMED } from './named.ts';
import { VALUES_OF_WORDS } from './values-of-words.ts';
import { UNUSUAL_NAMES } from './unusual-names.ts';
import { OTHER_FORMS } from './other-forms.ts';
import { OTHER_NAMES } from './other-names.ts';
import { SEARCHED_FILES } from './searched-files.ts';
import { OUTPUTS_OF_PROGRAMS } from './outputs-of-programs.ts';
import { PACKED_PACKAGES } from './packed-packages.ts';
import { PLACES } from './places.ts';
import { PRINTED_CONTENTS } from './printed-contents.ts';
import { PROGRAM_OPTIONS } from './program-options.ts';
import { DENIED_PLACES } from './denied-places.ts';
import { DENIED_READERS } from './denied-readers.ts';
import { KNOWN_READS } from './known-reads.ts';
import { PROGRAM_SETTINGS } from './program-settings.ts';
import { QUOTED_PATTERNS } from './quoted-patterns.ts';
import { READING } from './reading.ts';
import { START_UP_FILES } from './start-up-files.ts';
import { SYNCHRONIZED } from './synchronized.ts';
import { TRANSFERRED_NAMES } from './transferred-names.ts';
import { TRICKS } from './tricks.ts';
import { UNDERSTOOD_OPTIONS } from './understood-options.ts';
import { SKIPPED_OPTIONS } from './skipped-options.ts';
import { STARRED_RULES } from './starred-rules.ts';
import { SHELL_SCRIPTS } from './shell-scripts.ts';
import { SPLIT_WORDS } from './split-words.ts';
import { UNKNOWN_PROGRAMS } from './unknown-programs.ts';
import { UNKNOWN_WORDS } from './unknown-words.ts';
import { UNSEEN } from './unseen.ts';
import { WORDS_IN_CODE } from './words-in-code.ts';
import { ADDRESSES_IN_RULES } from './addresses-in-rules.ts';
import { UNDONE_OPTIONS } from './undone-options.ts';
import { WIDER_WORDS } from './wider-words.ts';
import { WAITING_EDITS } from './waiting-edits.ts';
import type { Theme } from './theme.ts';

export const THEMES: readonly Theme[] = [
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
  ...JOINED_WORDS,
  ...BEHIND_RUNNERS,
  ...NAMED,
  ...UNUSUAL_NAMES,
  ...VALUES_OF_WORDS,
  ...MAKE_WORDS,
  ...PARTS_OF_WORDS,
  ...OTHER_NAMES,
  ...SEARCHED_FILES,
  ...FOUND_NAMES,
  ...GIVEN_FILES,
  ...CURL_FILES,
  ...QUOTED_PATTERNS,
  ...SHELL_SCRIPTS,
  ...SPLIT_WORDS,
  ...UNKNOWN_PROGRAMS,
  ...UNKNOWN_WORDS,
  ...EXPANDED_WORDS,
  ...LINKS,
  ...LOGINS,
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
  ...EMPTIED_FOLDERS,
  ...CHANGED_FOLDERS,
  ...TRANSFERRED_NAMES,
  ...START_UP_FILES,
  ...CONTAINERS,
  ...ADDRESSES,
  ...HOSTS_IN_WORDS,
  ...CONNECTED_HOSTS,
  ...COMPUTED_NAMES,
  ...WORDS_IN_CODE,
  ...WAITING_EDITS,
  ...COPIED_CONTENTS,
  ...ARCHIVED_FILES,
  ...PACKED_PACKAGES,
  ...DECODED_NAMES,
  ...PRINTED_CONTENTS,
  ...SYNCHRONIZED,
  ...MADE_PROGRAMS,
  ...CERTAIN_READS,
  ...OUTPUTS_OF_PROGRAMS,
  ...COMBINED_NAMES,
  ...AGENTS,
  ...UNDONE_OPTIONS,
  ...ADDRESSES_IN_RULES,
  ...WIDER_WORDS,
  ...UNDERSTOOD_OPTIONS,
  ...STARRED_RULES,
  ...SKIPPED_OPTIONS,
  ...OTHER_FORMS,
];
