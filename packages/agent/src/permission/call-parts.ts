/** Splits a call of any tool into parts. */
import type { JsonObject } from '@heddle/core';
import { globPlace, resolvePath } from '@heddle/tools/files';
import type { CallPart, CallParts, Concern, FilePart, Part, PathsBelow } from './part.ts';
import { openedBySearch } from './paths/opened-by-search.ts';
import { type FilePlace, once, otherPlaces } from './paths/places.ts';
import { processConcern } from './paths/process-files.ts';
import { specialConcern } from './paths/special-files.ts';
import { pathsBelow } from './paths/walk-tree.ts';
import type { AuthorizeRequest } from './request.ts';
import { currentName } from './rules/rule.ts';
import { fileAccess } from './rules/file-tools.ts';
import { calledNames, isShellTool } from './rules/tool-names.ts';
import { concernOf } from './shell/files/file-parts.ts';
import { storedBelow } from './shell/files/git-data-below.ts';
import { storedInData } from './shell/files/stored-parts.ts';
import { askAboutRepositories } from './shell/made-repositories.ts';
import { reachesNothing } from './shell/reached-files.ts';
import { shellParts } from './shell/shell-parts.ts';
import type { PermissionWorld } from './world.ts';

export function partsOfCall(request: AuthorizeRequest, world: PermissionWorld): CallParts {
  const { input, readOnly } = request;
  const tool = currentName(request.tool);
  const access = fileAccess(tool);
  const call = callPart(request);
  const shared = (
    parts: readonly Part[],
    facts: Partial<Extract<CallParts, { ok: true }>> = {},
  ): CallParts => ({
    ok: true,
    isPlainEdit: facts.isPlainEdit ?? true,
    showsHost: facts.showsHost ?? false,
    readsListed: facts.readsListed ?? false,
    reaches: facts.reaches ?? reachesNothing,
    parts: [{ ...call, shares: true }, ...askAboutRepositories(parts, world)],
  });
  const whole = (readsOnly: boolean): CallParts => ({
    ok: true,
    parts: [{ ...call, readOnly: readsOnly }],
    isPlainEdit: false,
    showsHost: false,
    readsListed: false,
    reaches: reachesNothing,
  });
  if (isShellTool(tool)) {
    const command = input['command'];
    if (typeof command !== 'string') return whole(readOnly);
    const read = shellParts(command, world);
    if (!read.ok) return unexaminedCall(request, read.reason);
    return read.parts.length === 0 ? whole(read.empty) : shared(read.parts, read);
  }
  if (access !== undefined)
    return shared(pathsOf(tool, input, world).flatMap((path) => fileParts(request, access, path, world)));
  if (tool === 'WebFetch') {
    const host = hostOf(input['url']) ?? '';
    return shared([{ kind: 'fetch', shown: host || 'an unknown host', tool, host }]);
  }
  if (tool === 'WebSearch') return shared([{ kind: 'fetch', shown: 'the web', tool, host: '' }]);
  return whole(readOnly);
}

function callPart({ tool: given, input, readOnly, names = [] }: AuthorizeRequest): CallPart {
  const tool = currentName(given);
  return {
    kind: 'call',
    shown: shownCall(tool, input),
    tool,
    input,
    names: [...calledNames(tool, input), ...names],
    shares: false,
    readOnly,
  };
}

/** Returns a call of which only the tool and the input are known. */
export function unexaminedCall(request: AuthorizeRequest, reason: string): CallParts {
  const call = callPart(request);
  const { command } = request.input;
  return {
    ok: false,
    call: { ...call, shares: true },
    command: typeof command === 'string' ? command : call.shown,
    reason,
  };
}

/** Returns the part for the path, and the one for stored contents that are read in the data of git. */
function fileParts(
  request: AuthorizeRequest,
  kind: 'read' | 'write',
  path: string,
  world: PermissionWorld,
): FilePart[] {
  const part = filePart(request, kind, path, world);
  const isRead = kind === 'read' && part.tool !== 'Glob';
  return isRead ? [part, ...storedInData(part.places, part.deep !== 'no', world)] : [part];
}

function filePart(
  request: AuthorizeRequest,
  kind: 'read' | 'write',
  path: string,
  world: PermissionWorld,
): FilePart {
  const tool = currentName(request.tool);
  const named = placeOf(path, world);
  const places = [named, ...otherPlaces(named, world)];
  const walks = tool === 'Grep';
  const read = { places, glob: undefined, deep: walks ? 'all' : 'no' } as const;
  // A list of names opens no file.
  const isRead = tool !== 'Glob';
  return {
    kind,
    shown: path,
    tool,
    places,
    // A search includes hidden files.
    deep: walks ? 'all' : 'no',
    ...(walks
      ? {
          below: once(() => searchedPaths(places, world)),
          storedBelow: once(() => storedBelow(places, SEARCH, world)),
        }
      : {}),
    leavesOutDenied: request.leavesOutDenied === true,
    opensNothing: !isRead,
    knowledge: 'known',
    by: 'tool',
    glob: undefined,
    concern:
      kind === 'write'
        ? concernOf({ kind }, { places, pattern: undefined }, [world.cwd], world)
        : (processConcern(read, world) ??
          (isRead ? specialConcern(read, world) : undefined) ??
          (walks || !isRead ? concernOfSearch(places, world) : undefined)),
  };
}

/** The search itself opens files of ignored names. It prints none of their lines, so only the kind of the file counts. */
function concernOfSearch(places: readonly FilePlace[], world: PermissionWorld): Concern | undefined {
  const opened = { places: openedBySearch(places, [world.cwd], world), glob: undefined, deep: 'no' } as const;
  return specialConcern(opened, world);
}

/** The Grep tool skips folders with the name `.git`. */
const SEARCH = { hidden: true, follows: false, isText: true, skipsGit: true };

/** Returns the paths below a searched folder, as written and as resolved. The search does not follow links below it. */
function searchedPaths(places: readonly FilePlace[], world: PermissionWorld): PathsBelow {
  const below = pathsBelow(places, world, { follows: false, hidden: true });
  const written = places
    .filter(({ path, real }) => path !== real)
    .flatMap(({ path, real }) => below.paths.map((file) => path + file.slice(real.length)));
  return { ...below, paths: [...below.paths, ...written] };
}

/** Resolves a path like the tool itself: `..` removes the last written segment. */
function placeOf(written: string, world: PermissionWorld): FilePlace {
  const path = resolvePath(written, world.cwd, world.home);
  return { path, real: world.realpath(path) };
}

/** Returns the places that a decision about the call concerns. Undefined for a tool that does not access files. */
export function placesOfCall(
  { tool: given, input }: AuthorizeRequest,
  world: PermissionWorld,
): FilePlace[] | undefined {
  const tool = currentName(given);
  if (fileAccess(tool) === undefined) return undefined;
  const { path, pattern } = input;
  const folder = typeof path === 'string' && path !== '' ? path : undefined;
  const begin =
    tool === 'Glob' && typeof pattern === 'string' ? globPlace({ path: folder, pattern }).place : folder;
  // A search starts in this folder, even if the pattern names a place below it.
  const searched = tool === 'Glob' || tool === 'Grep' ? [begin ?? '.'] : [];
  return [...searched, ...pathsOf(tool, input, world)].map((written) => placeOf(written, world));
}

/**
 * Returns every path in the input. A search without a path starts in the working directory. Its pattern may name
 * another folder.
 */
function pathsOf(tool: string, input: JsonObject, world: PermissionWorld): string[] {
  const named = ['file_path', 'notebook_path', 'path', 'filePath'].flatMap((field) => {
    const value = input[field];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  const [folder = world.cwd] = named;
  if (tool === 'Grep') {
    const part = searchedPart(folder, input['glob']);
    return named.length > 0 && part !== folder ? [...named, part] : [part];
  }
  const pattern = tool === 'Glob' ? input['pattern'] : undefined;
  if (typeof pattern === 'string') {
    const segments = pattern.split('/');
    const wild = segments.findIndex((part) => /[*?[{]/.test(part));
    const literal = wild < 0 ? segments : segments.slice(0, wild);
    if (literal.length > 0 && literal.join('') !== '') {
      const isAnchored = pattern.startsWith('/') || pattern.startsWith('~/');
      named.push(isAnchored ? literal.join('/') : `${folder}/${literal.join('/')}`);
    }
  }
  return named.length > 0 ? named : [world.cwd];
}

/**
 * Returns the part of a folder that a Grep with this pattern searches. A pattern without a slash matches at every depth,
 * and one with `!` matches all other files. In a pattern with other syntax, such as `a/b|c/d`, no segment is certain.
 */
function searchedPart(folder: string, pattern: unknown): string {
  if (typeof pattern !== 'string' || !/^[\w./*?{},[\]-]+$/.test(pattern)) return folder;
  const relative = pattern.replace(/^\.\//, '');
  const segments = relative.replace(/^\//, '').split('/');
  if (!relative.includes('/') || segments.some((segment) => /^\.+$/.test(segment))) return folder;
  const end = segments.findIndex((segment) => !/^[\w.-]+$/.test(segment));
  const literal = end < 0 ? segments : segments.slice(0, end);
  return literal.length === 0 ? folder : `${folder}/${literal.join('/')}`;
}

/** Returns undefined for other protocols: a rule about a host is about its web pages. */
function hostOf(url: unknown): string | undefined {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.hostname.replace(/\.$/, '') : undefined;
}

function shownCall(tool: string, input: JsonObject): string {
  for (const field of ['command', 'url', 'skill', 'subagent_type']) {
    const value = input[field];
    if (typeof value === 'string') return `${tool}(${value})`;
  }
  return tool;
}
