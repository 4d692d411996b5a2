/**
 * A call taken apart into what each needs permission for itself. Readers make parts, rules are held against them, and the
 * call may run when every one of them may.
 */
import type { JsonObject } from '@heddle/core';
import type { Glob } from './paths/glob.ts';
import type { FilePlace } from './paths/places.ts';
import type { Beginning, Spelling } from './rules/command-pattern.ts';

export type Part = CallPart | CommandPart | FilePart | FetchPart;

/** The call as a whole. */
export interface CallPart {
  readonly kind: 'call';
  readonly shown: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** Every other part stands for it: only deny and ask rules are held against the call itself. */
  readonly shares: boolean;
  readonly readOnly: boolean;
}

/** One simple command of a script. */
export interface CommandPart {
  readonly kind: 'command';
  readonly shown: string;
  /** An allow rule must match one of these: without wrappers and harmless assignments. */
  readonly cover: readonly Spelling[];
  /** A deny or ask rule need only match one of these: every way in which the command may really be run. */
  readonly suspect: readonly Spelling[];
  /** How far spellings are known that are not known to their end: a deny or ask rule may speak of what follows. */
  readonly beginnings: readonly Beginning[];
  /** What its words and the values of its options would be as commands: a deny or ask rule may be about one of them. */
  readonly possible: readonly Spelling[];
  /**
   * Proven to change nothing. `beside a rule`: proven, but in the background, where it may outlast the call. That is enough in
   * a script of which a rule allows something, and not for a script that no rule covers.
   */
  readonly readOnly: 'no' | 'beside a rule' | 'yes';
  /**
   * In the read-only view it does its work as well as anywhere, so the view can stand in for a proof. `closed`: it reads only
   * files that it is given by name, and runs nothing.
   */
  readonly confinable: 'no' | 'closed' | 'yes';
  /** An edit of files that acceptEdits lets pass; the files are parts of their own. */
  readonly edits: boolean;
  /** Only a rule for all commands can cover it: nobody can tell what runs, or where. */
  readonly opaque: string | undefined;
  /** Why a rule with a wildcard does not cover it: an option, or what the shell puts in, writes files or runs programs. */
  readonly exactOnly: string | undefined;
  /** Inside another command's arguments: that one's rule covers it, and only deny and ask are held against it. */
  readonly inner: boolean;
  readonly concern: Concern | undefined;
}

export interface FilePart {
  readonly kind: 'read' | 'write' | 'remove';
  readonly shown: string;
  /** Every path it may mean, as written and with symlinks resolved; undefined when that cannot be known. */
  readonly places: readonly FilePlace[] | undefined;
  /** Which tool does it: a rule for a whole tool must name it. */
  readonly tool: string;
  /** Whether everything below it is touched, too; `visible`: but neither hidden nor ignored files. */
  readonly deep: 'no' | 'all' | 'visible';
  /**
   * Of a deep read: every path that is read as well, and where links lead if they are followed. Undefined if these are more
   * than can be looked at.
   */
  readonly below?: () => readonly string[] | undefined;
  /** Links below it may be followed. */
  readonly followsLinks?: boolean;
  /** An earlier command of the script may have put a link in its place: then it is another file. */
  readonly isUnsettled?: boolean;
  /** Git shows what it stored of the files below, whether they are there or not. */
  readonly stored?: StoredFiles;
  /** But what a deny rule speaks of is left out. */
  readonly leavesOutDenied?: boolean;
  /**
   * - `known`: how the file is touched is certain.
   * - `named`: it is an argument of a program nobody here knows: read or changed, one cannot tell.
   * - `mentioned`: its name occurs in a text, such as a program on the command line.
   */
  readonly knowledge: 'known' | 'named' | 'mentioned';
  /** Who touches it: a file tool, a redirection, which each need an Edit rule; or a command, whose own rule covers it. */
  readonly by: 'tool' | 'redirection' | 'command';
  /** It is a glob: `places` are the folders that it begins in. */
  readonly glob: Glob | undefined;
  /** Spellings of the command that names it: an allow rule that contains the name settles a place outside. */
  readonly namedBy?: readonly Spelling[];
  readonly concern: Concern | undefined;
}

/** Undefined: any file that ever was tracked. Otherwise whether one that is tracked now fits. */
export interface StoredFiles {
  readonly someTracked: ((fits: (path: string) => boolean) => boolean) | undefined;
}

export interface FetchPart {
  readonly kind: 'fetch';
  readonly shown: string;
  /** WebFetch, or a search: that one asks no host by name. */
  readonly tool: 'WebFetch' | 'WebSearch';
  readonly host: string;
}

/** Why it is asked about although rules allow it. */
export interface Concern {
  readonly reason: string;
  /**
   * - `always`: in bypassPermissions, too.
   * - `unless bypassed`: no rule settles it.
   * - `outside`: an Edit rule that names the place settles it.
   * - `unless covered`: any rule that covers it settles it, one for the whole tool included.
   */
  readonly level: 'always' | 'unless bypassed' | 'outside' | 'unless covered';
}
