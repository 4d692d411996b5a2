/** Commands that ship with Heddle and are prompts, in the form of files of the user. */
import type { LoadedPrompt } from './prompt-file.ts';

const INIT = `Write AGENTS.md at the top of this project: instructions for agents that work here. If AGENTS.md, CLAUDE.md or HEDDLE.md exists, improve it instead.

First look: the README, the manifest and lock files, the build and CI configuration, the layout of the source, and a few typical files and tests.

Then write, in at most 60 lines:
- how to install, build, test and check, and how to run a single test, with commands that exist in this project;
- the layout: which folder has which subject, and where a newcomer starts to read;
- conventions that cannot be seen in one file: names, error handling, tests, commits;
- traps: what breaks easily, and what must not be changed.

Leave out what every project has, and what the code shows by itself. Do not invent anything: run the commands that you name, or say that you did not.

$ARGUMENTS`;

const BASE: Omit<LoadedPrompt, 'name' | 'description' | 'argumentHint' | 'body'> = {
  kind: 'command',
  longName: undefined,
  whenToUse: undefined,
  argumentNames: [],
  allowedTools: [],
  disallowedTools: [],
  model: undefined,
  effort: undefined,
  isForModel: false,
  isForUser: true,
  isForked: false,
  agent: undefined,
  hooks: undefined,
  paths: [],
  shell: undefined,
  file: 'built in',
  folder: '',
  scope: 'managed',
};

/** They work on every surface, and are not listed among the files. */
export const BUILT_IN_PROMPTS: readonly LoadedPrompt[] = [
  {
    ...BASE,
    name: 'init',
    description: 'Writes AGENTS.md for this project',
    argumentHint: '[focus]',
    body: INIT,
  },
];
