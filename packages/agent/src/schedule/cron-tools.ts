/** CronCreate, CronList and CronDelete: the model schedules prompts. Each run is a background job with its own permission questions. */
import type { JsonObject, Tool } from '@heddle/core';
import { loadSchema, stringOrEmpty } from '../tool-input.ts';
import type { Schedule, ScheduleFolder } from './schedule-folder.ts';

export interface CronToolsDeps {
  readonly folder: string;
  readonly cwd: string;
  /** Flags of `heddle -p` for a job that is scheduled now, such as the model and the limits of the run. */
  readonly flags: () => readonly string[];
  /** Starts the runner unless it runs. Returns a sentence about it. */
  readonly startRunner: () => Promise<{ readonly ok: boolean; readonly message: string }>;
  readonly now: () => number;
}

const CREATE_INPUT: JsonObject = {
  type: 'object',
  properties: {
    cron: { type: 'string', description: 'Five fields in local time: minute hour day month weekday' },
    prompt: { type: 'string', minLength: 1, description: 'The task. A run does not see this conversation' },
    recurring: { type: 'boolean', description: 'false: only at the first of these times. Default: true' },
    time_zone: { type: 'string', description: 'An IANA name, if not the local zone' },
  },
  required: ['cron', 'prompt'],
  additionalProperties: false,
};

const LIST_INPUT: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

const DELETE_INPUT: JsonObject = {
  type: 'object',
  properties: { id: { type: 'string', description: 'As CronCreate or CronList returned it' } },
  required: ['id'],
  additionalProperties: false,
};

const TRAITS = {
  isConcurrencySafe: () => false,
  maxResultSize: 20_000,
  interruptBehavior: 'block',
} as const;

const TITLE_LENGTH = 200;

export function createCronTools(deps: CronToolsDeps): readonly Tool[] {
  return [createTool(deps), listTool(deps), deleteTool(deps)];
}

interface CreatedSchedule {
  readonly schedule: Schedule;
  readonly next: number | undefined;
  readonly runner: string;
}

function createTool({
  folder,
  cwd,
  flags,
  startRunner,
  now,
}: CronToolsDeps): Tool<JsonObject, CreatedSchedule> {
  return {
    ...TRAITS,
    name: 'CronCreate',
    description:
      'Schedules a prompt. Each run is a background job in this folder with a conversation of its own. A run that is missed is reported and not repeated.',
    inputJSONSchema: CREATE_INPUT,
    inputSchema: () => loadSchema(CREATE_INPUT),
    inputAliases: { schedule: 'cron', expression: 'cron', timeZone: 'time_zone', durable: null },
    isReadOnly: () => false,
    async call({ cron, prompt, recurring = true, time_zone: zone }) {
      const [{ readCron }, { nextRunOf }] = await Promise.all([
        import('./timing.ts'),
        import('./schedule-folder.ts'),
      ]);
      const read = readCron(stringOrEmpty(cron), stringOrEmpty(zone) || undefined);
      if (!read.ok) throw new Error(read.message);
      const store = await open(folder);
      const schedule = store.add({
        timing: read.timing,
        // The prompt is a text of the model: it runs no slash command and reads no mentioned file.
        argv: [...flags(), '--disable-slash-commands', '--', stringOrEmpty(prompt)],
        title: stringOrEmpty(prompt).slice(0, TITLE_LENGTH),
        cwd,
        createdAt: now(),
        isOnce: recurring === false,
      });
      const { message } = await startRunner();
      return { data: { schedule, next: nextRunOf(schedule, store.state(schedule)), runner: message } };
    },
    toResult: ({ schedule: { id }, next, runner }) => ({
      content: `Schedule ${id} was added. Next run: ${timeText(next)}. ${runner}`,
    }),
  };
}

interface ListedSchedules {
  readonly lines: readonly string[];
}

function listTool({ folder, now }: CronToolsDeps): Tool<JsonObject, ListedSchedules> {
  return {
    ...TRAITS,
    name: 'CronList',
    description: 'Lists the scheduled prompts of the user with their next, last and missed runs.',
    inputJSONSchema: LIST_INPUT,
    inputSchema: () => loadSchema(LIST_INPUT),
    isReadOnly: () => true,
    async call() {
      const [{ timingText }, { missedRuns, nextRunOf }] = await Promise.all([
        import('./timing.ts'),
        import('./schedule-folder.ts'),
      ]);
      const store = await open(folder);
      const lines = store.list().map((schedule) => {
        const state = store.state(schedule);
        const missed = missedRuns(schedule, state, now());
        const last = state.lastRun ? `, last: job ${state.lastRun.jobId}` : '';
        const lost = missed ? `, missed: ${missed.count} (${missed.reason})` : '';
        const next = timeText(nextRunOf(schedule, { ...state, handledUntil: now() }));
        return `${schedule.id} ${timingText(schedule.timing)}, next: ${next}${last}${lost}: ${schedule.title}`;
      });
      return { data: { lines } };
    },
    toResult: ({ lines }) => ({ content: lines.join('\n') || 'There are no schedules.' }),
  };
}

function deleteTool({ folder }: CronToolsDeps): Tool<JsonObject, { readonly id: string }> {
  return {
    ...TRAITS,
    name: 'CronDelete',
    description: 'Removes a scheduled prompt. Jobs that it started continue.',
    inputJSONSchema: DELETE_INPUT,
    inputSchema: () => loadSchema(DELETE_INPUT),
    isReadOnly: () => false,
    async call({ id }) {
      const store = await open(folder);
      const found = store.list().find((schedule) => schedule.id === id);
      if (!found) throw new Error(`There is no schedule ${stringOrEmpty(id)}. CronList lists them.`);
      store.remove(found.id);
      return { data: { id: found.id } };
    },
    toResult: ({ id }) => ({ content: `Schedule ${id} was removed.` }),
  };
}

async function open(folder: string): Promise<ScheduleFolder> {
  const { ScheduleFolder: Folder } = await import('./schedule-folder.ts');
  return new Folder(folder);
}

function timeText(at: number | undefined): string {
  return at === undefined ? 'none' : new Date(at).toISOString();
}
