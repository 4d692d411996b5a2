/**
 * Suggests the rules for "always allow": one for each part of the call that needs one, as narrow as possible, and never
 * for a whole interpreter. A suggestion is offered only if `authorize` allows the same call with it.
 */
import path from 'node:path';
import { authorize, authorizeParts } from '../authorize.ts';
import { LivePermissions, type PermissionUpdate } from '../live-permissions.ts';
import type { CallParts, CommandPart, FilePart, Part } from '../part.ts';
import type { Authorization, AuthorizeRequest } from '../request.ts';
import { unlistedName } from '../paths/hidden-names.ts';
import { protectedBelow } from '../paths/changed-places.ts';
import { currentName, type Rules } from '../rules/rule.ts';
import { fileAccess } from '../rules/file-tools.ts';
import { calledName, isShellTool } from '../rules/tool-names.ts';
import { withinWorkLimit } from '../work-limit.ts';
import type { PermissionWorld } from '../world.ts';
import { commandRule } from './command-rule.ts';

/** The state that the decision used. */
export interface SuggestionContext {
  readonly rules: Rules;
  readonly mode: Parameters<typeof authorize>[2];
  readonly world: PermissionWorld;
}

type ReadCall = Extract<CallParts, { ok: true }>;

export function suggestions(
  request: AuthorizeRequest,
  verdict: Authorization,
  standing: SuggestionContext,
): readonly PermissionUpdate[] {
  // An ask rule decided. An allow rule would not prevent the question.
  const { examined } = verdict;
  if (verdict.decision !== 'ask' || verdict.rule !== undefined || !examined?.ok) return [];
  const suggest = (world: PermissionWorld) => suggestFor(request, verdict, examined, { ...standing, world });
  return withinWorkLimit(standing.world, suggest) ?? [];
}

function suggestFor(
  request: AuthorizeRequest,
  verdict: Authorization,
  read: ReadCall,
  standing: SuggestionContext,
): readonly PermissionUpdate[] {
  const asked = new Set(verdict.parts.filter(({ decision }) => decision === 'ask').map(({ part }) => part));
  const named = new Set(
    read.parts.flatMap((part) => ('namedBy' in part && asked.has(part.shown) ? [part.namedBy] : [])),
  );
  const isNaming = (part: Part) => part.kind === 'command' && named.has(part.cover);
  const parts = read.parts.filter((part) => asked.has(part.shown) || isNaming(part));
  if (parts.some((part) => 'concern' in part && part.concern && part.concern.level !== 'outside')) return [];
  const updates = updatesFor(request, parts, standing.world);
  return updates.length > 0 && wouldAllow(request, read, updates, standing) ? updates : [];
}

function wouldAllow(
  request: AuthorizeRequest,
  read: ReadCall,
  updates: readonly PermissionUpdate[],
  { rules, mode, world }: SuggestionContext,
): boolean {
  const directories = [...world.directories, ...(world.directoryNames ?? [])];
  const live = new LivePermissions(rules, directories, { realpath: world.realpath });
  live.apply(updates);
  const after = { ...world, directories: live.directories, directoryNames: live.directoryNames };
  // The parts of a call depend on the working directories, but neither on the rules nor on the mode.
  const decided = updates.some(({ type }) => type === 'addDirectories')
    ? authorize(request, live.rules, live.mode ?? mode, after)
    : authorizeParts(request, read, live.rules, live.mode ?? mode, after);
  return decided.decision === 'allow';
}

function updatesFor(
  request: AuthorizeRequest,
  parts: readonly Part[],
  world: PermissionWorld,
): PermissionUpdate[] {
  const tool = currentName(request.tool);
  const files = parts.filter((part): part is FilePart => part.kind === 'write' || part.kind === 'remove');
  if (fileAccess(tool)) return fileUpdates(files, world);
  return isShellTool(tool) ? scriptUpdates(parts, files, world) : otherTool(tool, request.input);
}

/** Users do not read more rules than this before they agree. */
const MOST_RULES = 5;

function scriptUpdates(
  parts: readonly Part[],
  files: readonly FilePart[],
  world: PermissionWorld,
): PermissionUpdate[] {
  const commands = parts.filter((part): part is CommandPart => part.kind === 'command');
  const named = new Set(parts.flatMap((part) => ('namedBy' in part ? [part.namedBy] : [])));
  const rules = [
    // A rule that contains the name of an outside place settles it.
    ...needingRules(commands).map((part) => ruleOf('Bash', commandRule(part, named.has(part.cover)))),
    ...files.flatMap((part) => (editRules(part, world) ?? [undefined]).map((text) => ruleOf('Edit', text))),
  ];
  const known = rules.flatMap((rule) => rule ?? []);
  const distinct = [...new Map(known.map((rule) => [`${rule.toolName} ${rule.ruleContent}`, rule])).values()];
  // If one part cannot be covered, rules for the others are useless.
  if (known.length < rules.length || distinct.length === 0 || distinct.length > MOST_RULES) return [];
  return [added(distinct)];
}

/**
 * A read-only command inside a construct needs no rule if another part has one. Otherwise one rule is enough for all of
 * them.
 */
function needingRules(commands: readonly CommandPart[]): readonly CommandPart[] {
  const needing = commands.filter(({ readOnly }) => readOnly !== 'beside a rule');
  if (needing.length > 0) return needing;
  const [first] = commands.toSorted((left, right) => rankOf(left) - rankOf(right));
  return first ? [first] : [];
}

/** A rule for the main command of a script is better than one for its control flow. */
function rankOf({ shown }: CommandPart): number {
  const [name = ''] = shown.split(' ', 1);
  if (/^(cd|read|set|exit|return|break|continue|wait|export|test|'\[')$/.test(name)) return 2;
  return /^(echo|printf|pwd|date|true|false|:|sleep)$/.test(name) ? 1 : 0;
}

/**
 * Suggests a directory for files outside, and a mode for files inside. It is a rule for the file if the directory contains more than
 * such files, or if the mode does not permit a change of the file. All of them end with the session.
 */
function fileUpdates(files: readonly FilePart[], world: PermissionWorld): PermissionUpdate[] {
  if (files.length === 0) return [];
  const outside = files.filter(({ concern }) => concern?.level === 'outside');
  const foldersOf = ({ places = [] }: FilePart): readonly string[] =>
    places.map(({ real }) => path.posix.dirname(real));
  const isSingle = (part: FilePart): boolean =>
    outside.includes(part)
      ? foldersOf(part).some((folder) => isWideFolder(folder, world))
      : unlistedName(part, world) !== undefined;
  const single = files.filter(isSingle);
  const rules = single.flatMap((part) =>
    (editRules(part, world) ?? [undefined]).map((text) => ruleOf('Edit', text)),
  );
  const known = rules.flatMap((rule) => rule ?? []);
  if (known.length < rules.length) return [];
  const folders = [...new Set(outside.filter((part) => !single.includes(part)).flatMap(foldersOf))];
  const destination = 'session';
  return [
    ...(known.length > 0 ? [added(known, destination)] : []),
    ...(folders.length > 0 ? [{ type: 'addDirectories', directories: folders, destination } as const] : []),
    ...(single.length < files.length ? [{ type: 'setMode', mode: 'acceptEdits', destination } as const] : []),
  ];
}

/** Folders of the system and of programs. All that is below belongs to every user of the machine. */
const SYSTEM_FOLDER =
  /^\/(private\/)?(etc|usr|bin|sbin|lib\w*|boot|dev|proc|sys|run|opt|nix|snap|System|Library|Applications|var(?!\/(tmp|folders)(\/|$)))(\/|$)/;

/**
 * Returns whether a folder contains the home folder, the project or a protected place, or belongs to the system. A very large
 * one counts as well.
 */
function isWideFolder(folder: string, world: PermissionWorld): boolean {
  const { home, root } = world;
  if (SYSTEM_FOLDER.test(folder)) return true;
  const isAbove = (place: string): boolean =>
    place === folder || place.startsWith(folder === '/' ? '/' : `${folder}/`);
  if ([home, root].some((place) => isAbove(place) || isAbove(world.realpath(place)))) return true;
  return protectedBelow({ path: folder, real: folder }, world, 'moved') !== undefined;
}

/** The model writes these. In a rule, `*` would mean other hosts and names as well. */
const PLAIN_HOST = /^[\w.:[\]-]+$/;
const PLAIN_NAME = /^[\p{L}\p{N}_.:@/ -]+$/u;
const PLAIN_RESOURCE = /^[\w.-]+ [\w.:/?&=#@%+,~-]+$/;

/**
 * One call tells what every other call does, so a rule for the whole tool is offered. A call of another tool may do much more
 * than the one before: `CronCreate` starts any prompt at any time.
 */
function isSafeAsWhole(toolName: string): boolean {
  return toolName === 'WebSearch' || toolName.startsWith('mcp__');
}

function otherTool(toolName: string, input: AuthorizeRequest['input']): PermissionUpdate[] {
  const { url, skill, args } = input;
  switch (toolName) {
    case 'WebFetch': {
      if (typeof url !== 'string' || !URL.canParse(url)) return [];
      const { hostname } = new URL(url);
      return PLAIN_HOST.test(hostname) ? [added([{ toolName, ruleContent: `domain:${hostname}` }])] : [];
    }
    case 'Skill':
      if (typeof skill !== 'string' || !PLAIN_NAME.test(skill)) return [];
      return [
        added([{ toolName, ruleContent: typeof args === 'string' && args !== '' ? `${skill} *` : skill }]),
      ];
    case 'Agent':
    case 'ReadMcpResourceTool': {
      const ruleContent = calledName(toolName, input) ?? '';
      const isPlain = (toolName === 'Agent' ? PLAIN_NAME : PLAIN_RESOURCE).test(ruleContent);
      return isPlain ? [added([{ toolName, ruleContent }])] : [];
    }
    default:
      return isSafeAsWhole(toolName) ? [added([{ toolName }])] : [];
  }
}

interface RuleValue {
  readonly toolName: string;
  readonly ruleContent?: string;
}

function ruleOf(toolName: string, ruleContent: string | undefined): RuleValue | undefined {
  return ruleContent === undefined ? undefined : { toolName, ruleContent };
}

function added(
  rules: readonly RuleValue[],
  destination: 'localSettings' | 'session' = 'localSettings',
): PermissionUpdate {
  return { type: 'addRules', rules, behavior: 'allow', destination };
}

/**
 * Returns rules for the path of a file. After a `cd`, which may have failed, these are several. Undefined if other
 * files may be meant.
 */
export function editRules(
  { places = [], glob, deep }: FilePart,
  { root }: PermissionWorld,
): string[] | undefined {
  if (places.length === 0 || glob || deep !== 'no') return undefined;
  // The path would be read as a pattern.
  if (places.some((place) => /[*?[\]\\!(){}$\n]/.test(place.path))) return undefined;
  return places.map(({ path: file }) =>
    file.startsWith(`${root}/`) ? `./${path.posix.relative(root, file)}` : `/${file}`,
  );
}
