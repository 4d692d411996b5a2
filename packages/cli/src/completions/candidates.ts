/**
 * `heddle completions candidates KIND`: the completion scripts run this when the user presses Tab. It prints one candidate
 * per line: the value, a tab and its meaning. It prints no errors, because they would garble the line that is being typed.
 */
import { modelEnvironment } from '../keys.ts';
import type { CandidateKind } from '../arguments/flag-kinds.ts';
import { writeMessage } from '../terminal/write-message.ts';

type Candidate = readonly [value: string, meaning: string];

/** A longer list is too long to look through. */
const MAX_SESSIONS = 50;

const CANDIDATES: Readonly<Record<CandidateKind, () => Promise<readonly Candidate[]>>> = {
  sessions,
  keys,
  models,
  providers,
  hookEvents,
};

export async function printCandidates([kind = '']: readonly string[]): Promise<number> {
  if (!isKind(kind)) return 2;
  const { cutTo, oneLine } = await import('../terminal/width.ts');
  for (const [value, meaning] of await CANDIDATES[kind]())
    writeMessage(`${oneLine(value)}\t${cutTo(oneLine(meaning), 60)}\n`);
  return 0;
}

function isKind(word: string): word is CandidateKind {
  return Object.hasOwn(CANDIDATES, word);
}

async function hookEvents(): Promise<readonly Candidate[]> {
  const { HOOK_EVENT_NAMES, traitsOf } = await import('@heddle/agent/hooks');
  return HOOK_EVENT_NAMES.map((event) => [event, traitsOf(event).matchField ?? '']);
}

/** Returns the sessions of this folder, or all sessions if it has none. An id is shortened if that is unambiguous. */
async function sessions(): Promise<readonly Candidate[]> {
  const { listSessions } = await import('@heddle/agent/sessions');
  const { place } = await import('../sessions/pick.ts');
  const { configDir, cwd } = place();
  const here = listSessions({ configDir, cwd });
  const shown = here.length > 0 ? here : listSessions({ configDir, cwd: undefined });
  const beginnings = Map.groupBy(shown, ({ id }) => id.slice(0, 8));
  return shown
    .slice(0, MAX_SESSIONS)
    .map(({ id, title }) => [beginnings.get(id.slice(0, 8))?.length === 1 ? id.slice(0, 8) : id, title]);
}

async function keys(): Promise<readonly Candidate[]> {
  const { KNOWN_SETTINGS } = await import('@heddle/agent/settings');
  return Object.entries(KNOWN_SETTINGS).map(([key, { meaning }]) => [key, meaning]);
}

async function models(): Promise<readonly Candidate[]> {
  const { listProviders } = await import('@heddle/models');
  const usable = (await listProviders(modelEnvironment())).filter(
    ({ isUsable, id }) => isUsable || id === 'anthropic',
  );
  const named = usable.flatMap((provider) =>
    provider.models.flatMap(({ id, aliases }): Candidate[] => [
      ...aliases.map((alias): Candidate => [alias, id]),
      ...(provider.isUsable ? [[id, provider.name] as const] : []),
    ]),
  );
  return [
    ...named,
    ['rehearsal', 'offline, to try things out'],
    ['replay:', 'a recording'],
    ['scripted:', 'a script'],
  ];
}

async function providers(): Promise<readonly Candidate[]> {
  const { listProviders } = await import('@heddle/models');
  return (await listProviders(modelEnvironment())).map(({ id, name }) => [id, name]);
}
