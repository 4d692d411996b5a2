/** Finds the job that the user names, and describes jobs in text. */
import { findJobs, type JobFolder, type JobQuestion, type JobState } from '@heddle/agent/jobs';
import path from 'node:path';
import { configDir } from '../config-dir.ts';
import { cutTo, fill, oneLine } from '../terminal/width.ts';
import { agoText } from '../sessions/text/units.ts';
import { callLine } from '../terminal/call-line.ts';
import { warn } from '../terminal/write-message.ts';

export function jobsFolder(): string {
  return path.join(configDir(process.env), 'jobs');
}

export type FoundJob =
  | { readonly ok: true; readonly folder: JobFolder; readonly state: JobState }
  | { readonly ok: false; readonly message: string };

/** `word`: an id, or the beginning of one. */
export function findJob(word: string): FoundJob {
  const [folder, ...others] = findJobs(jobsFolder(), word);
  if (others.length > 0) return { ok: false, message: `${word} matches several jobs. Use a longer id.` };
  const state = folder?.state();
  if (folder && state) return { ok: true, folder, state };
  return { ok: false, message: `There is no job ${oneLine(word)}. To list jobs, use: heddle jobs` };
}

export function reportProblem(message: string, code = 1): number {
  warn(message);
  return code;
}

/** The widest state, `running` or `waiting`, in characters. */
const STATE_WIDTH = 7;

/** One line for a job, and one for each open question and for the reason of a failure. */
export function jobLines(job: JobState, now: number): readonly string[] {
  const { id, state, createdAt, title, questions, outcome, cwd } = job;
  const columns = [
    id,
    fill(state, STATE_WIDTH),
    fill(agoText(createdAt, now), 12),
    cutTo(oneLine(title), 60),
  ];
  const reason = state === 'failed' && outcome ? [`failed: ${cutTo(oneLine(outcome.text), 80)}`] : [];
  const asked = questions.map((question) => `asks ${question.id}: ${questionLine(question, cwd)}`);
  return [columns.join('  '), ...[...reason, ...asked].map((line) => `${' '.repeat(id.length)}  ${line}`)];
}

export function questionLine(
  { tool, input, agentId, agentDescription = agentId, ...place }: JobQuestion,
  cwd: string,
): string {
  const who = agentDescription === undefined ? '' : ` (agent ${cutTo(oneLine(agentDescription), 40)})`;
  return `${callLine(tool, input, cwd, place)}${who}`;
}

/** The command that answers this question and no other. */
export function answerLine({ id: job }: JobFolder, { id }: JobQuestion): string {
  return `heddle answer ${job} ${id} yes`;
}
