/**
 * What "always allow" would remember: one rule for each part of the call that needs one, as short as is honest, never a whole
 * interpreter. Nothing is offered unless `authorize` itself would allow the very same call with it.
 */
import path from 'node:path';
import { authorize } from '../authorize.ts';
import { partsOfCall } from '../call-parts.ts';
import { LivePermissions, type PermissionUpdate } from '../live-permissions.ts';
import type { CommandPart, FilePart, Part } from '../part.ts';
import type { Authorization, AuthorizeRequest } from '../request.ts';
import { currentName, type Rules } from '../rules/rule.ts';
import { fileAccess } from '../rules/tool-names.ts';
import type { PermissionWorld } from '../world.ts';
import { commandRule } from './command-rule.ts';

/** What the call was decided by. */
export interface SuggestionContext {
  readonly rules: Rules;
  readonly mode: Parameters<typeof authorize>[2];
  readonly world: PermissionWorld;
}

export function suggestions(
  request: AuthorizeRequest,
  verdict: Authorization,
  standing: SuggestionContext,
): readonly PermissionUpdate[] {
  // A rule asked: an allow rule would not spare the question.
  if (verdict.decision !== 'ask' || verdict.rule !== undefined) return [];
  const read = partsOfCall(request, standing.world);
  if (!read.ok) return [];
  const asked = new Set(verdict.parts.filter(({ decision }) => decision === 'ask').map(({ part }) => part));
  const named = new Set(
    read.parts.flatMap((part) => ('namedBy' in part && asked.has(part.shown) ? [part.namedBy] : [])),
  );
  const isNaming = (part: Part) => part.kind === 'command' && named.has(part.cover);
  const parts = read.parts.filter((part) => asked.has(part.shown) || isNaming(part));
  if (parts.some((part) => 'concern' in part && part.concern && part.concern.level !== 'outside')) return [];
  const updates = updatesFor(request, parts, standing.world);
  return updates.length > 0 && wouldAllow(request, updates, standing) ? updates : [];
}

function wouldAllow(
  request: AuthorizeRequest,
  updates: readonly PermissionUpdate[],
  { rules, mode, world }: SuggestionContext,
): boolean {
  const live = new LivePermissions(rules, world.directories);
  live.apply(updates);
  const after = { ...world, directories: live.directories };
  return authorize(request, live.rules, live.mode ?? mode, after).decision === 'allow';
}

function updatesFor(
  request: AuthorizeRequest,
  parts: readonly Part[],
  world: PermissionWorld,
): PermissionUpdate[] {
  const tool = currentName(request.tool);
  const files = parts.filter((part): part is FilePart => part.kind === 'write' || part.kind === 'remove');
  if (fileAccess(tool)) return fileUpdates(files);
  return tool === 'Bash' ? scriptUpdates(parts, files, world) : otherTool(tool, request.input);
}

/** More rules than this nobody reads before agreeing to them. */
const MOST_RULES = 5;

function scriptUpdates(
  parts: readonly Part[],
  files: readonly FilePart[],
  world: PermissionWorld,
): PermissionUpdate[] {
  const commands = parts.filter((part): part is CommandPart => part.kind === 'command');
  const named = new Set(parts.flatMap((part) => ('namedBy' in part ? [part.namedBy] : [])));
  const rules = [
    // A place outside is settled by a rule that contains its name.
    ...needingRules(commands).map((part) => ruleOf('Bash', commandRule(part, named.has(part.cover)))),
    ...files.flatMap((part) => (editRules(part, world) ?? [undefined]).map((text) => ruleOf('Edit', text))),
  ];
  const known = rules.flatMap((rule) => rule ?? []);
  const distinct = [...new Map(known.map((rule) => [`${rule.toolName} ${rule.ruleContent}`, rule])).values()];
  // One part that cannot be remembered makes the others worthless.
  if (known.length < rules.length || distinct.length === 0 || distinct.length > MOST_RULES) return [];
  return [added(distinct)];
}

/** What only reads inside a construct needs no rule of its own where another part has one; else one of them does for all. */
function needingRules(commands: readonly CommandPart[]): readonly CommandPart[] {
  const needing = commands.filter(({ readOnly }) => readOnly !== 'beside a rule');
  if (needing.length > 0) return needing;
  const [first] = commands.toSorted((left, right) => rankOf(left) - rankOf(right));
  return first ? [first] : [];
}

/** A rule for what the script is about says more than one for what only steers it. */
function rankOf({ shown }: CommandPart): number {
  const [name = ''] = shown.split(' ', 1);
  if (/^(cd|read|set|exit|return|break|continue|wait|export|test|'\[')$/.test(name)) return 2;
  return /^(echo|printf|pwd|date|true|false|:|sleep)$/.test(name) ? 1 : 0;
}

/** A folder for what lies outside, the mode for what lies inside. Both end with the session. */
function fileUpdates(files: readonly FilePart[]): PermissionUpdate[] {
  if (files.length === 0) return [];
  const outside = files
    .filter(({ concern }) => concern?.level === 'outside')
    .flatMap(({ places }) => places ?? []);
  const folders = [...new Set(outside.map(({ real }) => path.posix.dirname(real)))].filter(
    (folder) => folder !== '/',
  );
  return [
    ...(folders.length > 0
      ? [{ type: 'addDirectories' as const, directories: folders, destination: 'session' as const }]
      : []),
    { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
  ];
}

function otherTool(toolName: string, input: AuthorizeRequest['input']): PermissionUpdate[] {
  const { url, skill, args, subagent_type: agent } = input;
  switch (toolName) {
    case 'WebFetch': {
      if (typeof url !== 'string' || !URL.canParse(url)) return [];
      return [added([{ toolName, ruleContent: `domain:${new URL(url).hostname}` }])];
    }
    case 'Skill':
      if (typeof skill !== 'string') return [];
      return [
        added([{ toolName, ruleContent: typeof args === 'string' && args !== '' ? `${skill} *` : skill }]),
      ];
    case 'Agent':
      return [added([typeof agent === 'string' ? { toolName, ruleContent: agent } : { toolName }])];
    default:
      return [added([{ toolName }])];
  }
}

interface RuleValue {
  readonly toolName: string;
  readonly ruleContent?: string;
}

function ruleOf(toolName: string, ruleContent: string | undefined): RuleValue | undefined {
  return ruleContent === undefined ? undefined : { toolName, ruleContent };
}

function added(rules: readonly RuleValue[]): PermissionUpdate {
  return { type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' };
}

/** Its path; after a `cd`, which may have failed, every path it may have. Undefined where other files may be meant. */
export function editRules(
  { places = [], glob, deep }: FilePart,
  { root }: PermissionWorld,
): string[] | undefined {
  if (places.length === 0 || glob || deep !== 'no') return undefined;
  // It would be a pattern.
  if (places.some((place) => /[*?[\]\\!()\n]/.test(place.path))) return undefined;
  return places.map(({ path: file }) =>
    file.startsWith(`${root}/`) ? `./${path.posix.relative(root, file)}` : `/${file}`,
  );
}
