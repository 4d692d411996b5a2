/**
 * The rehearsal model needs no network and no key. A keyword in the prompt selects a scene, and the scene makes the calls
 * that a model would make. The tools and permissions are real. The model is deterministic.
 */
import type { ModelRequest } from '@heddle/core';
import { pace, say, type ScriptPart, type ScriptStep } from '@heddle/testing/scripted';
import { type Situation, situationOf } from './situation.ts';

export function rehearsal(request: ModelRequest): ScriptStep {
  const situation = situationOf(request);
  if (situation.isHandoff) return say(HANDOFF);
  const scene = SCENES.find(({ word }) => new RegExp(String.raw`\b${word}\b`, 'i').test(situation.firstLine));
  return (scene?.play ?? chatScene)(situation);
}

const HANDOFF = `## Intent
To rehearse.

## Decisions
None.

## Files
None that matter.

## Errors and fixes
None.

## State of work
The rehearsal continues.

## Next step
Wait for the next prompt.`;

interface RehearsalScene {
  /** The keyword in the prompt. */
  readonly word: string;
  /** The description for the list of scenes. */
  readonly shows: string;
  readonly play: (situation: Situation) => ScriptStep;
}

/** The scenes by keyword. Each scene chooses its next step from the results of its calls. */
export const SCENES: readonly RehearsalScene[] = [
  {
    word: 'edit',
    shows: 'a file that is written and changed, each after a question with its lines',
    play: edit,
  },
  { word: 'run', shows: 'a command that runs at once, and one that needs your permission', play: run },
  { word: 'plan', shows: 'a plan to approve or to reject', play: plan },
  { word: 'ask', shows: 'questions with options', play: ask },
  { word: 'todo', shows: 'a list of steps that is worked through', play: todo },
  { word: 'fetch', shows: 'a web page, after a question', play: fetch },
  { word: 'long', shows: 'a long answer, to interrupt or to type during it', play: long },
];

const SCRATCH = 'heddle-rehearsal.txt';

function edit({ made, last, call }: Situation): ScriptStep {
  const [read, written, edited] = [last('Read'), last('Write'), last('Edit')];
  const content = 'A first line.\nA line to change.\nA last line.\n';
  const write = call('Write', { file_path: SCRATCH, content });
  if (!written) return [opening(`I write a scratch file, ${SCRATCH}, and change a line of it.`), write];
  if (written.failed && written.result.includes('has not been read') && !read)
    return [
      say('The file exists from another rehearsal, so I read it first.'),
      call('Read', { file_path: SCRATCH }),
    ];
  if (written.failed && read && made.at(-1) === read && !read.failed) return write;
  if (written.failed) return notDone(written.result);
  if (!edited) {
    const change = { old_string: 'A line to change.', new_string: 'A line that was changed.' };
    return [say('Now I change its second line.'), call('Edit', { file_path: SCRATCH, ...change })];
  }
  if (edited.failed) return notDone(edited.result);
  return say(`${SCRATCH} is written and changed. /rewind, or heddle rewind, restores files.`);
}

function run({ made, call }: Situation): ScriptStep {
  const commands = made.filter(({ tool }) => tool === 'Bash');
  const [listed, computed] = commands;
  if (!listed)
    return [
      opening('I list the folder. That changes nothing, so it needs no permission.'),
      call('Bash', { command: 'ls', description: 'List the folder' }),
    ];
  if (!computed)
    return [
      say('The next command runs a program, which could do anything. So it needs your permission.'),
      call('Bash', { command: 'node -e "console.log(6 * 7)"', description: 'Multiply six by seven' }),
    ];
  return computed.failed ? notDone(computed.result) : say(`It says: ${computed.result.trim()}`);
}

const PLAN = `## A plan to rehearse with

1. Read the README.
2. Change nothing.
3. Say so.`;

function plan(situation: Situation): ScriptStep {
  const { last, call } = situation;
  const [entered, given, read] = [last('EnterPlanMode'), last('ExitPlanMode'), last('Read')];
  if (!entered)
    return withTools(situation, ['EnterPlanMode', 'ExitPlanMode'], () => call('EnterPlanMode', {}));
  const isPlanning = !entered.failed || entered.result.includes('planning already');
  if (!isPlanning) return notDone(entered.result);
  if (!given) return [say('This is the plan.'), call('ExitPlanMode', { plan: PLAN })];
  if (given.failed) return say(`${PLAN}\n\nNo user is present to approve it.`);
  if (given.result.includes('did not approve'))
    return say('The plan is rejected. A real model would now make another one.');
  if (!read) return [say('Approved. I carry it out.'), call('Read', { file_path: 'README.md' })];
  return say('I read the README and changed nothing: the plan is carried out.');
}

function ask(situation: Situation): ScriptStep {
  const asked = situation.last('AskUserQuestion');
  if (!asked)
    return withTools(situation, ['AskUserQuestion'], () =>
      situation.call('AskUserQuestion', { questions: QUESTIONS }),
    );
  return asked.failed ? notDone(asked.result) : say(`Thank you. Your answers:\n\n${asked.result}`);
}

const QUESTIONS = [
  {
    question: 'Where should the cache be stored?',
    header: 'Cache',
    options: [
      { label: 'In memory', description: 'Lost when the process ends' },
      { label: 'In a file', description: 'Survives a restart' },
    ],
  },
  {
    question: 'Which features should it have?',
    header: 'Extras',
    multiSelect: true,
    options: [{ label: 'A time limit' }, { label: 'Statistics' }, { label: 'A way to empty it' }],
  },
];

const STEPS = ['Look at the README', 'Look around', 'Say what is there'];

function todo({ made, call }: Situation): ScriptStep {
  const done = made.filter(({ tool }) => tool === 'TodoWrite').length;
  const failed = made.find((one) => one.tool === 'TodoWrite' && one.failed);
  if (failed) return notDone(failed.result);
  if (done > STEPS.length) return say('All three steps are done.');
  const todos = STEPS.map((content, at) => ({
    content,
    status: at < done ? 'completed' : at === done ? 'in_progress' : 'pending',
  }));
  const list = call('TodoWrite', { todos });
  return done === 0 ? [opening('I make a list of steps and work through it.'), list] : list;
}

function fetch(situation: Situation): ScriptStep {
  const fetched = situation.last('WebFetch');
  const input = { url: 'https://example.com/', prompt: 'What is this page for?' };
  if (!fetched) return withTools(situation, ['WebFetch'], () => situation.call('WebFetch', input));
  return fetched.failed ? notDone(fetched.result) : say('The page came. A real model would read it now.');
}

/** Milliseconds between two parts: slow enough to interrupt, and done in a few seconds. */
const PACE_MS = 150;

function long(): ScriptStep {
  const verse = (at: number): string =>
    `## Part ${at}\n\nThe loom continues thread by thread. The heddle lifts every *second* thread. ` +
    'Press **Ctrl-C** to stop me, or type a prompt, which waits until I am done.\n\n';
  const text = Array.from({ length: 12 }, (_, at) => verse(at + 1)).join('');
  return [pace(PACE_MS), opening('This is a long answer in many parts.\n\n'), say(`${text}That is all.`)];
}

/** Plays a prompt without a keyword: reads the README once, then lists the scenes. */
function chatScene({ made, nth, call, has }: Situation): ScriptStep {
  const [first, second] = made;
  if (nth > 1 && !first)
    return say(`This is still a rehearsal, and prompt ${nth} has none of its keywords.\n\n${menu()}`);
  if (!first && has('Read'))
    return [opening('I read the README first.'), call('Read', { file_path: 'README.md' })];
  // If the file has a lowercase name, the error of the tool suggests it.
  const [, meant] = /Did you mean (readme\S*)\?/i.exec(first && !second ? first.result : '') ?? [];
  if (meant !== undefined) return call('Read', { file_path: meant });
  const found = made.some(({ failed }) => !failed);
  return say(`${found ? 'I read the README.' : 'There is no README that I can read.'} ${menu()}`);
}

function menu(): string {
  const words = SCENES.map(({ word, shows }) => `- ${word}: ${shows}`);
  return [
    'To see more, use one of these keywords in a prompt:',
    '',
    ...words,
    '',
    'To work on this, choose a real model with --model.',
  ].join('\n');
}

function opening(text: string): ScriptPart {
  return say(`This is a rehearsal without a real model. ${text}`);
}

/** Finds deferred tools with ToolSearch first. Without a user, some tools do not exist at all. */
function withTools(
  { has, last, call }: Situation,
  tools: readonly string[],
  then: () => ScriptStep,
): ScriptStep {
  if (tools.every(has)) return then();
  const names = tools.join(' and ');
  if (has('ToolSearch') && !last('ToolSearch'))
    return [opening(`I look for ${names}.`), call('ToolSearch', { query: `select:${tools.join(',')}` })];
  return say(`${names} cannot be used here. No user can be asked, or a flag or rule removes it.`);
}

function notDone(why: string): ScriptStep {
  const [line = ''] = why.replaceAll(/<\/?tool_use_error>/g, '').split('\n');
  return say(`That did not work: ${line} A real model would now try another way, or ask you.`);
}
