/** Formats the todo list of the model. */
import { isRecord } from '@heddle/core';
import { escapeControls } from './escape-controls.ts';
import type { Style } from './style.ts';
import { pluralize, shortened } from './amounts.ts';

const MARKS: Readonly<Record<string, string>> = {
  completed: '[x]',
  in_progress: '[>]',
  pending: '[ ]',
};

/** More changed steps than this are not listed. */
const MAX_STEPS = 12;

/** Formats the input of the model. Items that are not steps are ignored. */
export function todoLines(todos: unknown, style: Style): string[] {
  return stepsIn(todos).map((step) => lineOf(step, style));
}

/** Formats only the steps that are new or have another status than before. */
export function todoChanges(before: unknown, todos: unknown, style: Style): string[] {
  const known = new Map(stepsIn(before).map(({ content, status }) => [content, status]));
  const steps = stepsIn(todos);
  const changed = steps.filter(({ content, status }) => known.get(content) !== status);
  const left = [...known.keys()].filter((content) => !steps.some((step) => step.content === content));
  const { paint, signs } = style;
  const more = changed.length - MAX_STEPS;
  return [
    ...changed.slice(0, MAX_STEPS).map((step) => lineOf(step, style)),
    ...(more > 0 ? [paint('dim', `${signs.more} ${pluralize(more, 'more step')}: /todos`)] : []),
    ...(left.length > 0 ? [paint('dim', `(${pluralize(left.length, 'step')} left out)`)] : []),
  ];
}

interface Step {
  readonly content: string;
  readonly status: unknown;
}

function stepsIn(todos: unknown): Step[] {
  if (!Array.isArray(todos)) return [];
  return todos.flatMap((todo: unknown) => {
    const content = field(todo, 'content');
    return typeof content === 'string' ? [{ content, status: field(todo, 'status') }] : [];
  });
}

function lineOf({ content, status }: Step, { paint }: Style): string {
  const line = `${MARKS[String(status)] ?? '[ ]'} ${escapeControls(shortened(content, 100))}`;
  if (status === 'completed') return paint('dim', line);
  return status === 'in_progress' ? paint('bold', line) : line;
}

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
