/** The skills that the model may use, as text: names and descriptions within a budget. Their bodies load when they are used. */
import type { PromptFile } from './prompt-file.ts';

/** A description is cut there. */
const MAX_DESCRIPTION = 1_536;
const MIN_DESCRIPTION = 40;

const INTRODUCTION =
  'These skills are available. If one fits the task, load it with the Skill tool before you start, and follow it:';

/** Undefined if there are none. `budget`: in characters. Names are always listed. */
export function skillList(files: readonly PromptFile[], budget: number): string | undefined {
  const usable = files.filter(({ isForModel }) => isForModel);
  if (usable.length === 0) return undefined;
  const names = usable.reduce((sum, { name }) => sum + name.length + ROW_FRAME, INTRODUCTION.length);
  const share = Math.floor(Math.max(0, budget - names) / usable.length);
  // Descriptions that are shorter than their share leave the rest to the others.
  const texts = usable.map(descriptionOf);
  const spare = texts.reduce((sum, text) => sum + Math.max(0, share - text.length), 0);
  const long = texts.filter((text) => text.length > share).length;
  const most = Math.min(MAX_DESCRIPTION, share + (long === 0 ? 0 : Math.floor(spare / long)));
  const rows = usable.map(({ name }, at) => row(name, texts[at] ?? '', most));
  return [INTRODUCTION, ...rows].join('\n');
}

const ROW_FRAME = '- : \n'.length;

function descriptionOf({ description, whenToUse }: PromptFile): string {
  const text = whenToUse === undefined ? description : `${description} ${whenToUse}`;
  // Most descriptions are one line, and a search for characters is faster than an expression.
  const isLine = !text.includes('\n') && !text.includes('  ') && !text.includes('\t');
  return isLine ? text.trim() : text.replace(/\s+/g, ' ').trim();
}

function row(name: string, description: string, most: number): string {
  if (description === '' || most < MIN_DESCRIPTION) return `- ${name}`;
  return `- ${name}: ${description.length > most ? `${description.slice(0, most - 1).trimEnd()}…` : description}`;
}
