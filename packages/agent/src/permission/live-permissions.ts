/** The current rules: those from the start of the session, and those added while it ran. */
import { isDeepStrictEqual } from 'node:util';
import type { PermissionMode } from '@heddle/core';
import { addedFolder, type AddedFolder, isNamed, withFolders } from './added-folders.ts';
import {
  joinRules,
  parseRule,
  type PermissionRule,
  type RuleList,
  type Rules,
  type RuleSource,
} from './rules/rule.ts';

/** A change that comes with an answer to a question, in the format of the SDK. */
export type PermissionUpdate =
  | {
      readonly type: 'addRules' | 'replaceRules' | 'removeRules';
      readonly rules: readonly { readonly toolName: string; readonly ruleContent?: string }[];
      readonly behavior: RuleList;
      readonly destination: UpdateDestination;
    }
  | { readonly type: 'setMode'; readonly mode: PermissionMode; readonly destination: UpdateDestination }
  | {
      readonly type: 'addDirectories' | 'removeDirectories';
      readonly directories: readonly string[];
      readonly destination: UpdateDestination;
    };

type UpdateDestination = 'userSettings' | 'projectSettings' | 'localSettings' | 'session' | 'cliArg';

const SOURCES: Readonly<Record<UpdateDestination, RuleSource>> = {
  userSettings: 'user',
  projectSettings: 'project',
  localSettings: 'local',
  session: 'session',
  cliArg: 'command line',
};

/** A rule that an update added or removed. */
interface ChangedRule {
  readonly list: RuleList;
  readonly source: RuleSource;
  readonly text: string;
  readonly isAdded: boolean;
}

/** The files of these sources can be changed by a call of the model. Their deny and ask rules count until an update removes them. */
const OF_PROJECT: ReadonlySet<RuleSource> = new Set(['project', 'local']);

export interface PlanStart {
  /** Whether the user or a host chose plan mode, and not the model. */
  readonly isChosen: boolean;
  /** Undefined if no update had set a mode before. */
  readonly before: PermissionMode | undefined;
}

/** Rules of these sources are in no file. */
const NOT_IN_FILES: ReadonlySet<RuleSource> = new Set(['session', 'command line']);

export class LivePermissions {
  #rules: Rules;
  /** Changes that the settings files do not contain. The newest change of a rule counts. */
  #changes: readonly ChangedRule[] = [];
  #folders: readonly AddedFolder[];
  #paths: { readonly directories: readonly string[]; readonly names: readonly string[] } | undefined;
  readonly #realpath: ((file: string) => string) | undefined;
  /** Folders that an update removed, and that the settings files still contain. */
  readonly #removedFolders = new Set<string>();
  #mode: PermissionMode | undefined;
  #planStart: PlanStart | undefined;
  readonly #mayBypass: boolean;
  /** How the names of tools begin that bypassPermissions does not cover. */
  readonly #notBypassed = new Set<string>();
  /** Rules that hold for a time, and all rules together. */
  #granted: readonly Rules[] = [];
  #all: Rules | undefined;

  /**
   * - `mayBypass`: the host declared at the start that bypassPermissions may be switched on later.
   * - `realpath` resolves links in the names of directories. The default looks at the disk, once for each directory.
   */
  constructor(
    rules: Rules,
    directories: readonly (string | AddedFolder)[] = [],
    {
      mayBypass = false,
      realpath,
    }: { readonly mayBypass?: boolean; readonly realpath?: (file: string) => string } = {},
  ) {
    this.#rules = rules;
    this.#realpath = realpath;
    this.#folders = directories.map((one) => (typeof one === 'string' ? addedFolder(one, realpath) : one));
    this.#mayBypass = mayBypass;
  }

  get rules(): Rules {
    // The same object until a rule changes: compiled rules are found by it.
    return (this.#all ??=
      this.#granted.length === 0 ? this.#rules : joinRules(this.#rules, ...this.#granted));
  }

  /** Adds rules until the returned function is called, such as those of a skill in use. */
  grant(rules: Rules): () => void {
    this.#granted = [...this.#granted, rules];
    this.#all = undefined;
    return () => {
      this.#granted = this.#granted.filter((granted) => granted !== rules);
      this.#all = undefined;
    };
  }

  /** The additional working directories, without links. */
  get directories(): readonly string[] {
    return this.#pathsOfFolders().directories;
  }

  /** The names with links that the directories were added with. */
  get directoryNames(): readonly string[] {
    return this.#pathsOfFolders().names;
  }

  /** The directories with their names, for another object with the same ones. */
  get folders(): readonly AddedFolder[] {
    return this.#folders;
  }

  /** The same lists until a folder changes: results about them are found by the list. */
  #pathsOfFolders() {
    return (this.#paths ??= {
      directories: [...new Set(this.#folders.map(({ real }) => real))],
      names: this.#folders.flatMap(({ name, real }) => (name === real ? [] : [name])),
    });
  }

  /** The mode that an answer set. Undefined if the session's own mode applies. */
  get mode(): PermissionMode | undefined {
    return this.#mode;
  }

  /** Receives each mode that an update sets, so that it can be stored. */
  onMode: ((mode: PermissionMode) => void) | undefined;

  /** How the plan mode of now began. Undefined if an update or a tool did not begin it. */
  get planStart(): PlanStart | undefined {
    return this.#planStart;
  }

  /** Applies a mode that is stored already. Returns false if it may not be switched on. */
  enter(mode: PermissionMode, isChosen = false): boolean {
    if (!this.mayEnter(mode)) return false;
    if (mode !== 'plan') this.#planStart = undefined;
    // A user who chooses plan mode during a plan of the model chooses it, too.
    else if (this.#mode !== 'plan' || isChosen) this.#planStart = { isChosen, before: this.#before() };
    this.#mode = mode;
    return true;
  }

  /** The last mode other than plan. */
  #before(): PermissionMode | undefined {
    return this.#mode === 'plan' ? this.#planStart?.before : this.#mode;
  }

  /** Whether the mode may be switched on. */
  mayEnter(mode: PermissionMode): boolean {
    return mode !== 'bypassPermissions' || this.#mayBypass;
  }

  /** Excludes the tools whose names begin with the prefix from bypassPermissions, or includes them again. */
  setBypassed(prefix: string, isBypassed: boolean): void {
    if (isBypassed) this.#notBypassed.delete(prefix);
    else this.#notBypassed.add(prefix);
  }

  /** Returns the mode for calls of a tool. It is never wider than the given mode. */
  modeFor(tool: string, mode: PermissionMode): PermissionMode {
    if (mode !== 'bypassPermissions') return mode;
    return [...this.#notBypassed].some((prefix) => tool.startsWith(prefix)) ? 'default' : mode;
  }

  /** Changes the rules for the next decision. The owner of a settings file writes them to the file. */
  apply(updates: readonly PermissionUpdate[]): void {
    for (const update of updates) this.#applyOne(update);
  }

  /**
   * Replaces the rules of files, after settings files changed. `removed` were the folders of the files before. Updates of the session
   * still count, until the files agree with them. An update that widens the rules of a file does not: the user may have taken it back.
   * A folder that was added before keeps its path, also if its name is a link that changed.
   * Deny and ask rules of the project, and of other files that the model may change, stay.
   */
  replaceSettings(
    rules: Rules,
    {
      added,
      removed,
      isChangeable = () => false,
    }: {
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly isChangeable?: (file: string) => boolean;
    },
  ): void {
    const isRead = ({ list, source, text }: ChangedRule): boolean =>
      rules[list].some((rule) => rule.source === source && rule.text === text);
    this.#changes = this.#changes.filter((change) => {
      if (NOT_IN_FILES.has(change.source)) return true;
      const isStricter = change.isAdded === (change.list !== 'allow');
      return isStricter && isRead(change) !== change.isAdded;
    });
    const isRemoved = (list: RuleList, { source, text }: PermissionRule): boolean =>
      this.#changes.some((one) => !one.isAdded && one.list === list && isSameRule(one, { source, text }));
    const stays = ({ source, file }: PermissionRule): boolean =>
      OF_PROJECT.has(source) || (file !== undefined && isChangeable(file));
    const replaced = (list: RuleList): readonly PermissionRule[] => {
      const kept = rules[list].filter((rule) => !isRemoved(list, rule));
      const earlier = this.#rules[list].filter(
        (rule) =>
          rule.source === 'session' ||
          (list !== 'allow' && stays(rule)) ||
          this.#changes.some((one) => one.isAdded && one.list === list && isSameRule(one, rule)),
      );
      return [...kept, ...earlier.filter((rule) => !kept.some((one) => isRepeated(rule, one)))];
    };
    this.#rules = { deny: replaced('deny'), ask: replaced('ask'), allow: replaced('allow') };
    this.#all = undefined;
    const before = this.#folders;
    const inFiles = added.map(
      (text) => before.find((one) => isNamed(one, [text])) ?? addedFolder(text, this.#realpath),
    );
    for (const folder of this.#removedFolders)
      if (!inFiles.some((one) => isNamed(one, [folder]))) this.#removedFolders.delete(folder);
    const removedNow = [...this.#removedFolders];
    this.#setFolders(
      withFolders(
        inFiles.filter((one) => !isNamed(one, removedNow)),
        before.filter((one) => !isNamed(one, removed)),
      ),
    );
  }

  #addFolders(names: readonly string[]): void {
    const added = names.map((name) => addedFolder(name, this.#realpath));
    this.#setFolders(withFolders(this.#folders, added));
    for (const folder of this.#removedFolders)
      if (added.some((one) => isNamed(one, [folder]))) this.#removedFolders.delete(folder);
  }

  #setFolders(folders: readonly AddedFolder[]): void {
    this.#folders = folders;
    this.#paths = undefined;
  }

  #applyOne(update: PermissionUpdate): void {
    switch (update.type) {
      case 'setMode':
        if (this.enter(update.mode, true)) this.onMode?.(update.mode);
        return;
      case 'addDirectories':
        return this.#addFolders(update.directories);
      case 'removeDirectories':
        this.#setFolders(this.#folders.filter((folder) => !isNamed(folder, update.directories)));
        for (const folder of update.directories) this.#removedFolders.add(folder);
        return;
      case 'addRules':
      case 'replaceRules':
      case 'removeRules': {
        const { behavior, destination } = update;
        const source = SOURCES[destination];
        const texts = update.rules.map(ruleText).filter((text) => parseRule(text, behavior).ok);
        const now = this.#rules[behavior];
        const kept = now.filter(({ source: from, text }) => {
          if (from !== source || update.type === 'addRules') return true;
          return update.type === 'removeRules' && !texts.includes(text);
        });
        const added = update.type === 'removeRules' ? [] : texts.map((text) => ({ text, source }));
        const isAdded = (rule: PermissionRule): boolean => added.some((one) => isDeepStrictEqual(one, rule));
        const others = kept.filter((rule) => !isAdded(rule));
        this.#rules = { ...this.#rules, [behavior]: [...others, ...added] };
        this.#all = undefined;
        const change =
          (isAdded: boolean) =>
          ({ text }: PermissionRule): ChangedRule => ({ list: behavior, source, text, isAdded });
        const gone = now.filter(
          (rule) => !kept.includes(rule) && !added.some(({ text }) => text === rule.text),
        );
        const changed = [...gone.map(change(false)), ...added.map(change(true))];
        const isNewer = (one: ChangedRule): boolean => changed.some((other) => isSameRule(one, other));
        const earlier = this.#changes.filter((one) => one.list !== behavior || !isNewer(one));
        this.#changes = [...earlier, ...changed];
      }
    }
  }
}

function isSameRule(
  left: Pick<PermissionRule, 'source' | 'text'>,
  right: Pick<PermissionRule, 'source' | 'text'>,
): boolean {
  return left.source === right.source && left.text === right.text;
}

/** Paths of a rule start at its base. An update names none, and the file that it is written to does. */
function isRepeated(rule: PermissionRule, other: PermissionRule): boolean {
  return isSameRule(rule, other) && (rule.base === undefined || rule.base === other.base);
}

/** Formats a rule as in settings. */
export function ruleText({
  toolName,
  ruleContent,
}: {
  readonly toolName: string;
  readonly ruleContent?: string;
}): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
}

const LISTS: readonly RuleList[] = ['allow', 'ask', 'deny'];
const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
const DESTINATIONS: readonly PermissionUpdate['destination'][] = [
  'userSettings',
  'projectSettings',
  'localSettings',
  'session',
  'cliArg',
];

/** Decodes updates from a host. Values that are not updates are left out. */
export function permissionUpdates(value: unknown): PermissionUpdate[] {
  return Array.isArray(value) ? value.flatMap((item: unknown) => updateOf(item) ?? []) : [];
}

function updateOf(item: unknown): PermissionUpdate | undefined {
  const type = field(item, 'type');
  const destination = oneOf(DESTINATIONS, field(item, 'destination'));
  if (destination === undefined) return undefined;
  switch (type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules': {
      const behavior = oneOf(LISTS, field(item, 'behavior'));
      const rules = field(item, 'rules');
      if (behavior === undefined || !Array.isArray(rules)) return undefined;
      return { type, behavior, destination, rules: rules.flatMap((rule: unknown) => ruleOf(rule) ?? []) };
    }
    case 'setMode': {
      const mode = oneOf(MODES, field(item, 'mode'));
      return mode && { type, mode, destination };
    }
    case 'addDirectories':
    case 'removeDirectories': {
      const folders = field(item, 'directories');
      if (!Array.isArray(folders)) return undefined;
      const directories = folders.filter((folder: unknown): folder is string => typeof folder === 'string');
      return { type, directories, destination };
    }
    default:
      return undefined;
  }
}

function ruleOf(rule: unknown): { readonly toolName: string; readonly ruleContent?: string } | undefined {
  const toolName = field(rule, 'toolName');
  const ruleContent = field(rule, 'ruleContent');
  if (typeof toolName !== 'string' || toolName === '') return undefined;
  return typeof ruleContent === 'string' ? { toolName, ruleContent } : { toolName };
}

function oneOf<T>(allowed: readonly T[], value: unknown): T | undefined {
  return allowed.find((candidate) => candidate === value);
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
