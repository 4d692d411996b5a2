/**
 * The instruction files of a session: managed, the user's, then those of each folder from the top of the disk down to the working
 * directory. A later file is closer and wins. They are text for the model and grant nothing, so a folder needs no trust for them.
 */
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { lineOfKey, type MarkdownFile, readMarkdownFileSync } from '../extensions/frontmatter.ts';
import type { PathPatterns } from '../extensions/path-match.ts';
import type { Scope } from '../settings/scopes.ts';
import { isReallyWithin, isWithin, realPath } from '../settings/trust.ts';
import { resolveImports, withoutComments } from './imports.ts';
import { isRegularFile, readSmallFile, unreadableText } from '../extensions/small-file.ts';

type InstructionScope = Scope | 'managed';

export interface InstructionFile {
  readonly file: string;
  readonly scope: InstructionScope;
  readonly text: string;
  /** Why it applies, for `/memory`: "the user's", "imported by …". */
  readonly reason: string;
  /** It applies only when a file that matches is read. */
  readonly paths?: PathPatterns | undefined;
  /** Another file names it. */
  readonly isImported?: boolean;
}

export interface InstructionPlaces {
  readonly cwd: string;
  /** The top of the repository, if there is one. */
  readonly top: string | undefined;
  /** The user's folders for settings, the strongest last: `~/.claude`, `~/.heddle`. */
  readonly configDirs: readonly string[];
  readonly managedDir?: string | undefined;
  readonly sources: readonly Scope[];
  /** Files that are left out (`claudeMdExcludes`). */
  readonly isExcluded?: ((file: string) => boolean) | undefined;
  /** Whether the user trusts a folder. Without trust, files outside of the project are not imported. */
  readonly isTrusted?: ((folder: string) => boolean) | undefined;
  /** Whether a rule forbids reading a file. Such a file is neither imported nor read through a link. */
  readonly isDenied?: ((file: string) => boolean) | undefined;
}

export interface FoundInstructions {
  /** Apply from the start. */
  readonly files: readonly InstructionFile[];
  /** Apply when a matching file is read. */
  readonly byPath: readonly InstructionFile[];
  readonly problems: readonly string[];
}

/** Of one file. More than that is a document, not instructions; the model can read it. */
const MAX_BYTES = 40_000;
const MAX_RULE_FILES = 500;
const MAX_RULE_FOLDERS = 500;

/** Files of one folder, the strongest last. All that exist are read. */
const FOLDER_FILES: readonly { readonly scope: Scope; readonly name: string }[] = [
  { scope: 'project', name: 'AGENTS.md' },
  { scope: 'project', name: 'CLAUDE.md' },
  { scope: 'project', name: '.claude/CLAUDE.md' },
  { scope: 'project', name: 'HEDDLE.md' },
  { scope: 'project', name: '.heddle/HEDDLE.md' },
  { scope: 'local', name: 'CLAUDE.local.md' },
  { scope: 'local', name: 'HEDDLE.local.md' },
];
const FOLDER_RULES = ['.claude/rules', '.heddle/rules'];
const USER_FILES = ['AGENTS.md', 'CLAUDE.md', 'HEDDLE.md'];

const REASONS: Readonly<Record<InstructionScope, string>> = {
  managed: 'of the organization',
  user: "the user's, for all projects",
  project: "the project's",
  local: "the user's, for this project",
};

/** A few small reads, and no process. */
export function findInstructions(places: InstructionPlaces): FoundInstructions {
  const collector = new Collector(places);
  const { managedDir, configDirs, sources, cwd, top } = places;
  if (managedDir !== undefined) collector.add(path.join(managedDir, 'CLAUDE.md'), 'managed', ANYWHERE);
  if (sources.includes('user')) {
    for (const folder of configDirs) {
      for (const name of USER_FILES) collector.add(path.join(folder, name), 'user', ANYWHERE);
      collector.addRules(path.join(folder, 'rules'), 'user', cwd, ANYWHERE);
    }
  }
  const project = top !== undefined && isWithin(cwd, top) ? top : cwd;
  for (const folder of foldersDownTo(cwd)) collector.addFolder(folder, project, sources);
  return collector.found;
}

/** The instruction files of the folders between the working directory and a file that was read below it. */
export function findNestedInstructions(file: string, places: InstructionPlaces): FoundInstructions {
  const { cwd, top, sources } = places;
  const collector = new Collector(places);
  const folder = path.dirname(file);
  if (folder !== cwd && isWithin(folder, cwd)) {
    for (const below of foldersDownTo(folder).slice(foldersDownTo(cwd).length))
      collector.addFolder(below, top !== undefined && isWithin(below, top) ? top : cwd, sources);
  }
  return collector.found;
}

/** Returns whether a rule forbids to show a file that is imported, or that is read through a link. */
export function isWithheld(
  { file, isImported = false }: InstructionFile,
  isDenied: (file: string) => boolean,
): boolean {
  const real = realPath(file);
  return (isImported && isDenied(file)) || ((isImported || real !== path.resolve(file)) && isDenied(real));
}

/** The files that a file of some scope may lead to. */
interface Reach {
  /** Why a file may not be read after its links. Undefined: it may. */
  readonly linkProblem: (file: string) => string | undefined;
  /** Why a file may not be imported by another. Undefined: it may. */
  readonly importProblem: (file: string, from: string) => string | undefined;
  /** A link to this file or an import of it adds nothing, and is not a problem. */
  readonly appliesAnyway: (file: string) => boolean;
}

/** The user's own links and imports may lead anywhere. */
const ANYWHERE: Reach = {
  linkProblem: () => undefined,
  importProblem: () => undefined,
  appliesAnyway: () => false,
};

class Collector {
  readonly #files: InstructionFile[] = [];
  readonly #byPath: InstructionFile[] = [];
  readonly #problems: string[] = [];
  /** By real path: a link to a file that was read already adds nothing. */
  readonly #seen = new Set<string>();
  readonly #places: InstructionPlaces;
  readonly #isExcluded: (file: string) => boolean;
  readonly #isTrusted: (folder: string) => boolean;
  readonly #isDenied: (file: string) => boolean;

  constructor(places: InstructionPlaces) {
    const { isExcluded, isTrusted, isDenied } = places;
    this.#places = places;
    this.#isExcluded = isExcluded ?? (() => false);
    this.#isTrusted = isTrusted ?? (() => false);
    this.#isDenied = isDenied ?? (() => false);
  }

  get found(): FoundInstructions {
    return { files: this.#files, byPath: this.#byPath, problems: this.#problems };
  }

  addFolder(folder: string, project: string, sources: readonly Scope[]): void {
    const reach = isWithin(folder, project) ? this.#reachIn(project) : this.#reachAbove(folder);
    for (const { scope, name } of FOLDER_FILES)
      if (sources.includes(scope)) this.add(path.join(folder, name), scope, reach);
    if (!sources.includes('project')) return;
    for (const rules of FOLDER_RULES) this.addRules(path.join(folder, rules), 'project', folder, reach);
  }

  /** A link in a project must not put the user's private files before the model. */
  #reachIn(project: string): Reach {
    const root = realPath(project);
    const isInside = (file: string): boolean => isReallyWithin(file, root);
    return {
      linkProblem: (file) => (isInside(file) ? undefined : 'leads out of the project, ignored.'),
      importProblem: (file, from) => {
        if (isInside(file)) return undefined;
        return this.#isTrusted(root) ? problemOfForeign(from, root) : importNeedsTrust(project);
      },
      appliesAnyway: () => false,
    };
  }

  /**
   * Everything in a folder above the project is outside of it. So without trust, links and imports of its files are not
   * followed, except to a file that applies anyway.
   */
  #reachAbove(folder: string): Reach {
    const root = realPath(folder);
    const isTrusted = this.#isTrusted(root);
    return {
      linkProblem(file) {
        if (!isReallyWithin(file, root)) return `leads out of ${folder}, ignored.`;
        const isLink = realPath(file) !== path.join(root, path.relative(folder, file));
        return isLink && !isTrusted ? `behind a link, ignored. ${howToTrust(folder)}` : undefined;
      },
      importProblem: (_, from) => (isTrusted ? problemOfForeign(from, root) : importNeedsTrust(folder)),
      appliesAnyway: (file) => !isTrusted && this.#applies(realPath(file)),
    };
  }

  /** Whether a file was read already, or is an instruction file of a folder from the top of the disk down to the working directory. */
  #applies(real: string): boolean {
    const { cwd, sources } = this.#places;
    const isIn = (folder: string): boolean =>
      FOLDER_FILES.some(
        ({ scope, name }) =>
          sources.includes(scope) &&
          real === path.join(realPath(folder), name) &&
          !this.#isExcluded(path.join(folder, name)),
      );
    return this.#seen.has(real) || foldersDownTo(cwd).some(isIn);
  }

  addRules(folder: string, scope: InstructionScope, base: string, reach: Reach): void {
    if (!existsSync(folder)) return;
    // A link to a large folder would take minutes to list.
    const problem = reach.linkProblem(folder);
    if (problem !== undefined) this.#problems.push(`${folder}: ${problem}`);
    else {
      const { names, isWhole } = markdownFilesIn(folder);
      for (const name of names) this.add(path.join(folder, name), scope, reach, base);
      if (!isWhole)
        this.#problems.push(
          `${folder}: only ${MAX_RULE_FILES} rules in ${MAX_RULE_FOLDERS} folders are read, the rest is ignored.`,
        );
    }
  }

  /** `base`: patterns in the header of a rule count from there. Undefined: the file is not a rule. */
  add(file: string, scope: InstructionScope, reach: Reach, base?: string): void {
    const text = this.#read(file, reach);
    if (text === undefined) return;
    const markdown = base === undefined ? withoutHeader(text) : readMarkdownFileSync(text);
    if ('rejected' in markdown) {
      this.#problems.push(`${file}:${markdown.rejected.line}: ${markdown.rejected.message}`);
      return;
    }
    const { fields, body, problems: inHeader } = markdown;
    const patterns = patternsOf(fields['paths']);
    const hasPaths = (fields['paths'] ?? undefined) !== undefined;
    const noPattern = {
      line: lineOfKey(text, 'paths'),
      message: 'paths has no pattern, so the rule always applies.',
    };
    for (const { line, message } of [...inHeader, ...(hasPaths && patterns.length === 0 ? [noPattern] : [])])
      this.#problems.push(`${file}:${line}: ${message}`);
    const paths = base === undefined || patterns.length === 0 ? undefined : { base, patterns };
    const reason = REASONS[scope];
    const list = paths === undefined ? this.#files : this.#byPath;
    const { imported, problems } = resolveImports(file, body, {
      isFile: (target) =>
        isRegularFile(target) &&
        !(this.#isDenied(target) || this.#isDenied(realPath(target)) || reach.appliesAnyway(target)),
      read: (target) => readSmallFile(target, MAX_BYTES)?.text,
      problemOf: reach.importProblem,
    });
    this.#problems.push(...problems);
    for (const { file: target, text: content } of imported) {
      const real = realPath(target);
      if (this.#seen.has(real)) continue;
      this.#seen.add(real);
      list.push({
        file: target,
        scope,
        text: clean(content),
        reason: `imported by ${file}`,
        paths,
        isImported: true,
      });
    }
    if (clean(body) !== '') list.push({ file, scope, text: clean(body), reason, paths });
  }

  #read(file: string, { linkProblem, appliesAnyway }: Reach): string | undefined {
    if (!existsSync(file) || this.#isExcluded(file)) return undefined;
    const real = realPath(file);
    if (this.#seen.has(real)) return undefined;
    // A refused file is not opened: it may be a pipe, or a file that gives its content only once.
    const problem = linkProblem(file);
    if (problem !== undefined) {
      if (!appliesAnyway(file)) this.#problems.push(`${file}: ${problem}`);
      return undefined;
    }
    if (real !== path.resolve(file) && this.#isDenied(real)) {
      this.#problems.push(`${file}: a rule forbids reading ${real}, ignored.`);
      return undefined;
    }
    const read = readSmallFile(file, MAX_BYTES);
    if (!read || read.text.trim() === '') return undefined;
    this.#seen.add(real);
    for (const { line, message } of unreadableText(read)) this.#problems.push(`${file}:${line}: ${message}`);
    if (read.size <= MAX_BYTES) return read.text;
    return `${wholeLines(read.text)}\n\n(Cut here: it has ${read.size} bytes. Read the rest when you need it.)`;
  }
}

/** Folders of installed packages, whose files others wrote. */
const PACKAGES: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'vendor',
  '.bundle',
  '.venv',
  'venv',
  'site-packages',
  'dist-packages',
]);

/** Trust in a project does not include the packages and repositories in it. */
function problemOfForeign(from: string, root: string): string | undefined {
  const real = realPath(from);
  const isBelow = isWithin(real, root);
  const names = path.dirname(isBelow ? path.relative(root, real) : real).split(path.sep);
  const folders = isBelow ? names.map((_, at) => path.join(root, ...names.slice(0, at + 1))) : [];
  const isNested = folders.some((folder) => folder !== root && existsSync(path.join(folder, '.git')));
  return isNested || names.some((name) => PACKAGES.has(name.toLowerCase()))
    ? 'is outside of the project, and the importing file is one of a package or of a nested repository, ignored.'
    : undefined;
}

function importNeedsTrust(folder: string): string {
  return `is outside of the project, ignored. ${howToTrust(folder)}`;
}

function howToTrust(folder: string): string {
  return `\`heddle permissions trust\` in ${folder} permits it.`;
}

function withoutHeader(body: string): MarkdownFile {
  return { fields: {}, body, problems: [] };
}

function clean(text: string): string {
  return withoutComments(text).trim();
}

function patternsOf(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Relative paths, sorted. A folder that is unreadable has none. Links to folders are not followed. */
function markdownFilesIn(folder: string): { readonly names: readonly string[]; readonly isWhole: boolean } {
  const folders = [''];
  const found: string[] = [];
  for (let at = 0; at < Math.min(folders.length, MAX_RULE_FOLDERS); at++) {
    const below = folders[at] ?? '';
    for (const entry of entriesIn(path.join(folder, below))) {
      const name = path.join(below, entry.name);
      if (entry.isDirectory()) folders.push(name);
      if (name.endsWith('.md')) found.push(name);
    }
  }
  const isWhole = folders.length <= MAX_RULE_FOLDERS && found.length <= MAX_RULE_FILES;
  return { names: found.sort().slice(0, MAX_RULE_FILES), isWhole };
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function foldersDownTo(cwd: string): string[] {
  const above = path.dirname(cwd);
  return above === cwd ? [cwd] : [...foldersDownTo(above), cwd];
}

function wholeLines(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > 0 ? text.slice(0, end) : text;
}
