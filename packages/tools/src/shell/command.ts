/** A parsed shell command as a flat list: every simple command in it, at any depth, with its words and redirections. */

export interface ShellWord {
  /** The text as it was written. */
  readonly text: string;
  /**
   * - `literal`: the shell expands it to exactly `value`.
   * - `tilde`: it starts with a `~` that the shell replaces by a home folder.
   * - `pattern`: it contains `*`, `?` or a set. The matching names are known only at run time.
   * - `dynamic`: it contains variables, substitutions, arithmetic or braces. Its value may be anything.
   */
  readonly kind: 'literal' | 'tilde' | 'pattern' | 'dynamic';
  /** The text without quotes. Parts with an unknown value stay as they were written. */
  readonly value: string;
  /** The literal text before the first part that is not literal. */
  readonly prefix: string;
  /** True if it is literal, has no escapes, and its unquoted characters have no special meaning in any shell. */
  readonly plain: boolean;
  /** True if the shell expands it to exactly one word: no word splitting and no pattern. */
  readonly single: boolean;
  /** The known start of every word that the shell expands it to. Empty if the start is not known. */
  readonly begins: string;
  /** The possible expansions of plain text with globs or braces. Undefined if they are not known. */
  readonly becomes?: readonly Outcome[] | undefined;
}

/** A possible expansion of a word: exactly this word, or any number of words that start with `begins`. */
export interface Outcome {
  readonly begins: string;
  readonly exact: boolean;
}

export interface ShellAssignment {
  readonly name: string;
  /** Undefined if an array is assigned. */
  readonly value: ShellWord | undefined;
  readonly append: boolean;
}

export type ShellRedirection =
  | {
      readonly kind: 'file';
      readonly operator: '>' | '>>' | '<' | '<>' | '>|' | '&>' | '&>>';
      readonly descriptor: Descriptor;
      readonly target: ShellWord;
    }
  /** `2>&1`. A target that is neither a number nor `-` is a file. */
  | {
      readonly kind: 'duplicate';
      readonly operator: '>&' | '<&';
      readonly descriptor: Descriptor;
      readonly target: ShellWord;
    }
  | { readonly kind: 'here_string'; readonly descriptor: Descriptor; readonly target: ShellWord }
  /**
   * `body` is the text that the command gets. With `expands`, the shell first replaces variables and substitutions in it.
   * Their commands are in the flat list.
   */
  | {
      readonly kind: 'here_doc';
      readonly descriptor: Descriptor;
      readonly body: string;
      readonly expands: boolean;
    };

/** A number, the name of a variable that receives one (`{fd}>file`), or undefined for the default of the operator. */
export type Descriptor = number | string | undefined;

/** A construct of the shell that can contain a command. */
export type Construct =
  | 'list'
  | 'pipeline'
  | 'background'
  | 'negation'
  | 'time'
  | 'subshell'
  | 'group'
  | 'if'
  | 'loop'
  | 'case'
  | 'function'
  | 'coproc'
  | 'test'
  | 'arithmetic'
  | 'substitution'
  | 'process_substitution';

export interface SimpleCommand {
  /** Undefined if there are only assignments or redirections. */
  readonly name: ShellWord | undefined;
  readonly args: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirections: readonly ShellRedirection[];
  /** The constructs around the command, from the outermost to the innermost. */
  readonly inside: readonly Construct[];
  /** A pipe, a redirection, or a construct around the command may give it an input. */
  readonly hasInput: boolean;
  /** The text that a pipe gives it, if the commands before the pipe only print it: `echo x | y`. Escapes in it may differ. */
  readonly pipedText?: string;
  readonly text: string;
}

export type ReadCommand =
  | {
      readonly ok: true;
      /** The commands in the order of the text. Those of a substitution follow the command that contains it. */
      readonly commands: readonly SimpleCommand[];
      /** The redirections of compound commands: `{ a; b; } > file`. */
      readonly redirections: readonly ShellRedirection[];
      /** The words of `for x in a b`. */
      readonly loopWords: readonly ShellWord[];
      readonly constructs: ReadonlySet<Construct>;
      /** The reason why a part of the syntax is not understood: it may run other commands. Undefined if all of it is. */
      readonly strange: string | undefined;
    }
  | { readonly ok: false; readonly reason: string };
