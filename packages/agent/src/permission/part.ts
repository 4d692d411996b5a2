/**
 * The parts of a call. Each part needs its own permission, and rules are matched against each part. The call may run if
 * every part may.
 */
import type { JsonObject, RuleName } from '@heddle/core';
import type { Glob } from './paths/glob.ts';
import type { FilePlace } from './paths/places.ts';
import type { Beginning, Spelling } from './rules/command-pattern.ts';
import type { PathPattern } from './rules/path-pattern.ts';

export type Part = CallPart | CommandPart | FilePart | FetchPart;

/**
 * - `no`: no unknown file of the script is one of the given ones.
 * - `some`: its words may lead to one of them.
 * - `any`: a name comes from a text, so it may be that of any file.
 */
export type ReachTest = (files: readonly string[]) => 'no' | 'some' | 'any';

export type CallParts =
  | {
      readonly ok: true;
      readonly parts: readonly Part[];
      /** The mode acceptEdits may allow the edits of the call. */
      readonly isPlainEdit: boolean;
      /** A command shows the processes of the machine, so they cannot be hidden from the script. */
      readonly showsHost: boolean;
      /** A script reads files whose names come from a text, so they may be any files. */
      readonly readsListed: boolean;
      /** Returns whether files of a script that are unknown may be among some existing ones. */
      readonly reaches: ReachTest;
    }
  /** A shell command that the grammar does not understand. Only the call itself is known. */
  | { readonly ok: false; readonly call: CallPart; readonly command: string; readonly reason: string };

/** The call as a whole. */
export interface CallPart {
  readonly kind: 'call';
  readonly shown: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** The skills and agents that the call uses, as deny and ask rules may name them. */
  readonly names: readonly RuleName[];
  /** The other parts decide for the call. Only deny and ask rules are matched against the call itself. */
  readonly shares: boolean;
  readonly readOnly: boolean;
}

/** How a command may run with the files that its globs find. */
export interface FoundSpellings {
  readonly spellings: readonly Spelling[];
  /** If there are too many files, or they are unknown: the command with stars as wildcards. */
  readonly patterns: readonly string[];
}

/** One simple command of a script. */
export interface CommandPart {
  readonly kind: 'command';
  readonly shown: string;
  /** The command without wrappers and harmless assignments. An allow rule must match one of these. */
  readonly cover: readonly Spelling[];
  /** Every way in which the command may actually run. A deny or ask rule matches if it matches one of these. */
  readonly suspect: readonly Spelling[];
  /** For a proven command: its spellings with the files that its globs find. They are looked up only if a rule needs them. */
  readonly found?: () => FoundSpellings;
  /** The known beginnings of spellings with an unknown end. A deny or ask rule may concern the unknown rest. */
  readonly beginnings: readonly Beginning[];
  /** Its words and option values, read as commands. A deny or ask rule may concern one of them. */
  readonly possible: readonly Spelling[];
  /**
   * Proven to change nothing. `beside a rule`: proven, but it runs in the background and may outlast the call. That is
   * enough only in a script in which a rule covers another command.
   */
  readonly readOnly: 'no' | 'beside a rule' | 'yes';
  /**
   * The command works in the read-only view, so the view can replace a proof. `closed`: it reads only files that its
   * arguments name, and runs no program.
   */
  readonly confinable: 'no' | 'closed' | 'yes';
  /** The command only edits the files in its arguments. The files are separate parts. */
  readonly isEdit: boolean;
  /** The reason why only a rule for all commands can cover it: the program or its place is unknown. */
  readonly opaque: string | undefined;
  /**
   * The reason why a rule with a wildcard does not cover it: an option or an expansion writes files or runs programs.
   */
  readonly exactOnly: string | undefined;
  /** Returns whether a rule with these words covers it nevertheless, because they contain the option. */
  readonly isNamedBy?: ((words: readonly string[]) => boolean) | undefined;
  /** Returns the word that undoes what an allow rule with a wildcard is limited to: `--no-dry-run`. */
  readonly undoneBy?: (specifier: string) => string | undefined;
  /**
   * The command may read files that are not parts of the call. If a rule restricts reading, neither the proof nor the view
   * allows it. Most calls have no such rule, so it is computed late.
   */
  readonly mayReadMore: () => boolean;
  /** The command may connect to a host that no word shows. A rule about a host may concern it. */
  readonly mayConnectAnywhere?: boolean;
  /** The texts that the program gets, as far as its own text does not show them. Only rules about hosts need them. */
  readonly given?: () => GivenTexts;
  /** The search path may lead from its name to a program of the project. A proof then needs a safe search path. */
  readonly mayRunProject: boolean;
  /** The script may give the command an input. */
  readonly hasInput: boolean;
  /**
   * The command is an argument of another command. The rule for the outer command covers it, so only deny and ask rules
   * are matched.
   */
  readonly inner: boolean;
  readonly concern: Concern | undefined;
}

/** Each text is on a line of its own. */
export interface GivenTexts {
  readonly known: string;
  /** Texts with unknown parts. A star represents each of these. */
  readonly unknown: string;
  /** The words of programs that connect. */
  readonly hosts: readonly NamedHost[];
}

export interface NamedHost {
  readonly host: string;
  /** Otherwise it may be another name. A rule for every host does not concern it. */
  readonly isCertain: boolean;
}

export interface FilePart {
  readonly kind: 'read' | 'write' | 'remove';
  readonly shown: string;
  /** Every possible path, as written and with links resolved. Undefined if unknown. */
  readonly places: readonly FilePlace[] | undefined;
  /** The tool that accesses the file. A rule for a whole tool must name it. */
  readonly tool: string;
  /** Whether the access includes everything below. `visible` leaves out hidden and ignored files. */
  readonly deep: 'no' | 'all' | 'visible';
  /** For a deep read: only files whose names end so are read, also hidden ones in folders that are not. */
  readonly endings?: readonly string[];
  /**
   * For a deep read: all paths that are read, including the targets of followed links. For a copied folder: all paths that
   * are written. Undefined if they are unknown.
   */
  readonly below?: () => PathsBelow | undefined;
  /** For a deep read: the parts for stored files that git's data below shows. They are looked up only if a rule needs them. */
  readonly storedBelow?: () => readonly FilePart[];
  /** For a copy: the paths that it writes below the target with a name that git looks for in a repository. */
  readonly copiedGitData?: readonly string[];
  /** For a write: files with unknown names are added to the folder. */
  readonly fills?: boolean;
  /** The access may follow links below the path. */
  readonly followsLinks?: boolean;
  /** An earlier command of the script may have replaced the path by a link to another file. */
  readonly isUnsettled?: boolean;
  /** The path climbs out of a folder that another call may move before the command runs. */
  readonly mayMove?: boolean;
  /** Git shows stored versions of the files below, existing or not. */
  readonly stored?: StoredFiles;
  /** The files are replaced and not shown. Only rules about edits concern it. */
  readonly rewrites?: boolean;
  /** The program lists names and properties of files, and opens none of them. */
  readonly opensNothing?: boolean;
  /** Files that a deny rule matches are left out of the access. */
  readonly leavesOutDenied?: boolean;
  /**
   * - `known`: the kind of access is certain.
   * - `named`: the file is an argument of an unknown program, which may read or change it.
   * - `mentioned`: the name occurs in a text, such as a program on the command line.
   */
  readonly knowledge: 'known' | 'named' | 'mentioned';
  /** The program is known to read the files of a folder, also if it is not known whether the word names one. */
  readonly readsFolders?: boolean;
  /**
   * The origin of the access. A file tool or a redirection needs an Edit rule. A command is covered by its own rule.
   */
  readonly by: 'tool' | 'redirection' | 'command';
  /** For a read of an unknown file: the program opens it, and a word of the command is known only when it runs. */
  readonly mayBeAnyFile?: boolean;
  /** Set if the path is a glob. Then `places` are the folders where it starts. */
  readonly glob: Glob | undefined;
  /** Spellings of the command that names the file. An allow rule that contains the name settles a place outside. */
  readonly namedBy?: readonly Spelling[];
  readonly concern: Concern | undefined;
}

/** The paths below some places. */
export interface PathsBelow {
  readonly paths: readonly string[];
  /** False if there are more than can be looked at. */
  readonly isComplete: boolean;
  /** An earlier command of the script may have added files since they were looked at. */
  readonly mayGrow: boolean;
}

/**
 * If `someTracked` is undefined, any file that was ever tracked counts. Otherwise it tests the files that are tracked
 * now, or those that the command adds. `unclear`: not all of them can be looked at.
 */
export interface StoredFiles {
  readonly someTracked:
    | ((fits: (path: string) => boolean, pattern: PathPattern) => boolean | 'unclear')
    | undefined;
  /** The command adds files of the working tree. */
  readonly isAddition?: boolean;
  /** The same if the files of ignored names are not those that exist now. Absent: they do not count. */
  readonly withIgnored?: StoredFiles;
}

export interface FetchPart {
  readonly kind: 'fetch';
  readonly shown: string;
  /** A WebSearch does not name a host. */
  readonly tool: 'WebFetch' | 'WebSearch';
  readonly host: string;
}

/** A reason to ask even if rules allow the part. */
export interface Concern {
  readonly reason: string;
  /**
   * - `always`: asks even in bypassPermissions.
   * - `unless bypassed`: no rule settles it.
   * - `outside`: an Edit rule that names the place settles it.
   * - `unless covered`: any rule that covers it settles it, also one for the whole tool.
   */
  readonly level: 'always' | 'unless bypassed' | 'outside' | 'unless covered';
}
