/** `heddle team`: creates teams, adds tasks, starts members, and reads and writes mail. The user is the lead. */
import { isTeamName, LEAD, listTeams, openTaskLines, TeamFolder, TeamSession } from '@heddle/agent/teams';
import { errorMessage } from '@heddle/core';
import { type FlagValues, printResult, readSubcommand, splitAtDashes } from '../arguments/subcommand.ts';
import { startMembers, teamsFolder } from '../start/session-team.ts';
import { pluralize } from '../terminal/amounts.ts';
import { escapeControls, jsonText } from '../terminal/escape-controls.ts';
import { fail, misuse } from '../terminal/write-message.ts';
import { runMembers } from './member-process.ts';

const HELP = `heddle team create TEAM [DESCRIPTION]     creates a team that you lead
heddle team task TEAM SUBJECT             adds a task; --description TEXT, --blocked-by 1,2, --owner MEMBER
heddle team start TEAM MEMBER… [-- FLAGS] starts a process for each member; FLAGS are those of heddle -p
heddle team member TEAM MEMBER… [-- FLAGS]
                                          runs members in this process; --until-done ends it after the last task
heddle team list [TEAM]                   teams, or the tasks and members of one; --json
heddle team send TEAM MEMBER TEXT         sends a message; * as the member means all
heddle team mail TEAM                     shows the messages for the lead; --take removes them
heddle team remove TEAM                   ends the team with its members
`;

const OPTIONS = {
  description: { type: 'string' },
  'blocked-by': { type: 'string' },
  owner: { type: 'string' },
  json: { type: 'boolean' },
  take: { type: 'boolean' },
  'until-done': { type: 'boolean' },
} as const;

type Flags = FlagValues<typeof OPTIONS>;

export async function teamCommand(argv: readonly string[]): Promise<number> {
  const [own, flags] = splitAtDashes(argv);
  const read = readSubcommand(own, OPTIONS);
  if (!read.ok) return fail(read.message);
  try {
    const [verb = 'list', ...words] = read.positionals;
    return await run(verb, words, read.values, flags);
  } catch (thrown) {
    return fail(errorMessage(thrown));
  }
}

async function run(
  verb: string,
  words: readonly string[],
  values: Flags,
  flags: readonly string[],
): Promise<number> {
  const [name, ...rest] = words;
  if (verb === 'help') return show(HELP.trimEnd());
  if (verb === 'list' && name === undefined) return listAll(values.json ?? false);
  if (!VERBS.has(verb)) return misuse(`There is no command team ${verb}. See: heddle team help`);
  if (name === undefined) return misuse(`Name a team: heddle team ${verb} TEAM. See: heddle team help`);
  if (!isTeamName(name)) return misuse(`${name}: a name has letters, digits, dots and hyphens`);
  const folder = new TeamFolder(teamsFolder(), name);
  if (verb === 'create') {
    const isNew = await folder.create(rest.join(' '), Date.now());
    return isNew ? show(`Created the team ${name}.`) : fail(`There is a team ${name}.`);
  }
  if (!folder.exists) return fail(`There is no team ${name}. To create it: heddle team create ${name}`);
  const lead = new TeamSession(folder, undefined, () => Promise.resolve(undefined));
  switch (verb) {
    case 'task':
      return addTask(lead, rest, values);
    case 'start': {
      const missing = await startMembers(folder, rest, { cwd: process.cwd(), flags });
      if (missing.length > 0)
        return fail(`These members did not start: ${missing.join(', ')}. See ${folder.path}/logs`);
      return show(`Started ${pluralize(rest.length, 'member')}.`);
    }
    case 'member':
      return runMembers(folder, rest, { flags, untilDone: values['until-done'] ?? false });
    case 'send': {
      const [to = '', ...text] = rest;
      return show(`Sent to ${lead.send(to, text.join(' ')).join(', ')}.`);
    }
    case 'mail':
      return mail(folder, values.take ?? false);
    case 'remove':
      await folder.remove();
      return show(`Removed the team ${name}. Its members end.`);
    default:
      return list(folder, values.json ?? false);
  }
}

const VERBS: ReadonlySet<string> = new Set([
  'create',
  'task',
  'start',
  'member',
  'list',
  'send',
  'mail',
  'remove',
]);

async function addTask(lead: TeamSession, words: readonly string[], values: Flags): Promise<number> {
  const subject = words.join(' ').trim();
  if (subject === '') return misuse('usage: heddle team task TEAM SUBJECT');
  const blockedBy = values['blocked-by']?.split(/[\s,#]+/).filter(Boolean);
  const { description, owner } = values;
  const added = await lead.addTask({ subject, description, owner, blockedBy }, new AbortController().signal);
  return added.ok ? show(`Added task #${added.task.id}.`) : fail(added.message);
}

function listAll(isJson: boolean): number {
  const teams = listTeams(teamsFolder());
  if (isJson)
    return show(
      jsonText(
        teams.map((team) => describe(team)),
        2,
      ),
    );
  if (teams.length === 0) return show('There are no teams. To create one: heddle team create NAME');
  for (const team of teams) {
    const { tasks } = team.tasks();
    const done = tasks.filter(({ status }) => status === 'completed').length;
    show(
      `${team.name}  ${done} of ${pluralize(tasks.length, 'task')} done, ${pluralize(team.members().length, 'member')}`,
    );
  }
  return 0;
}

function list(folder: TeamFolder, isJson: boolean): number {
  if (isJson) return show(jsonText(describe(folder), 2));
  for (const line of openTaskLines(folder.tasks())) show(line);
  return show(
    `Members: ${
      folder
        .members()
        .map(({ name }) => name)
        .join(', ') || 'none'
    }`,
  );
}

function describe(folder: TeamFolder): object {
  const members = folder.members().map(({ name, sessionId, process: { pid } }) => ({ name, sessionId, pid }));
  return { ...folder.about, tasks: folder.tasks().tasks, members };
}

function mail(folder: TeamFolder, takes: boolean): number {
  const mailbox = folder.mailbox(LEAD);
  for (const { id, from, text } of mailbox.waiting()) {
    show(`${from}: ${text}`);
    if (takes) mailbox.acknowledge(id);
  }
  return 0;
}

function show(text: string): number {
  return printResult(`${escapeControls(text)}\n`);
}
