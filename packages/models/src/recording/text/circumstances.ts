/**
 * What differs between two runs of the same session without meaning anything: the folders they ran in, the day, the machine,
 * random ids. For a comparison, on either side, all of it becomes a name.
 */
import { anyOf, replaceSpans, type Span, withoutOverlaps } from './chunks.ts';
import { type Place, placeNames } from './places.ts';

/**
 * Gives everything that may differ a name: the places of this text's own machine first, then those of the other, whose names
 * may stand in files that both have.
 */
export function namer(
  own: readonly Place[],
  other: readonly Place[],
  days: readonly number[],
): (text: string) => string {
  const passes = [placeNames(own), placeNames(other), datesOf(days)];
  return (text) => {
    let named = isAboutTheMachine(text) ? text.replaceAll(MACHINE, '') : text;
    for (const pass of passes) named = replaceSpans(named, pass(named));
    return named.replaceAll(PROJECT_FOLDER, '<config>/projects/<project>').replaceAll(UUID, '<uuid>');
  };
}

/**
 * The lines in which the program tells the model about the machine, and about the day on which the session began: that of a
 * resumed session is neither the recording's nor the replay's. They hold for no other, and may be missing there.
 */
const MACHINE =
  /^(?:(?:Platform|The user's shell|Git repository): .*|# Git when the session began\n.*|# Today's date\n.*)(?:\n|$)/gm;

function isAboutTheMachine(text: string): boolean {
  return text.startsWith('<system-reminder>') || /^Working directory: /m.test(text);
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** The folder of a project's sessions has the working folder in its name. */
const PROJECT_FOLDER = /<config>\/projects\/[^/\s"]+/g;

/** The day of the recording and the day of the replay, in the ways a prompt may write them. */
function datesOf(days: readonly number[]): (text: string) => readonly Span[] {
  const any = anyOf(days.filter(Number.isFinite).flatMap(waysToWrite));
  if (any === undefined) return () => [];
  const finder = new RegExp(String.raw`(?<!\w)(?:${any})(?!\d)`, 'g');
  return (text) =>
    withoutOverlaps(
      [...text.matchAll(finder)].map(({ index, 0: date }) => ({
        start: index,
        end: index + date.length,
        by: '<today>',
      })),
    );
}

function waysToWrite(day: number): string[] {
  const date = new Date(day);
  const long = { year: 'numeric', month: 'long', day: 'numeric' } as const;
  return [
    date.toISOString().slice(0, 10),
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
    date.toDateString(),
    date.toLocaleDateString('en-US', { ...long, weekday: 'long' }),
    date.toLocaleDateString('en-US', long),
    date.toLocaleDateString('en-GB', long),
  ];
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
