/** What a shell command says, flattened: every simple command in it, wherever it stands, with its words and redirections. */

export interface ShellWord {
  /** As it was written. */
  readonly text: string;
  /**
   * - `literal`: the shell makes exactly `value` of it.
   * - `tilde`: begins with a `~` that the shell replaces by a home folder.
   * - `pattern`: `*`, `?` and the like; the names it matches are known only when it runs.
   * - `dynamic`: variables, substitutions, arithmetic, braces: anything.
   */
  readonly kind: 'literal' | 'tilde' | 'pattern' | 'dynamic';
  /** Without its quotes; what cannot be known stands as it was written. */
  readonly value: string;
  /** The literal text before the first part that is not. */
  readonly prefix: string;
  /** Literal, without escapes, and unquoted only in letters that mean themselves in every shell. */
  readonly plain: boolean;
  /** It stays one word, however long its value is: no word splitting, no pattern. */
  readonly single: boolean;
  /** Of a word whose value is not known: how each word that becomes of it begins. Empty if it may begin with anything. */
  readonly begins: string;
  /** Of a glob or of braces, plain apart from them: what becomes of it. Undefined where nobody can tell. */
  readonly becomes?: readonly Outcome[] | undefined;
}

/** Words that become of one: this very one, or any number of words that begin so. */
export interface Outcome {
  readonly begins: string;
  readonly exact: boolean;
}

export interface ShellAssignment {
  readonly name: string;
  /** Undefined for an array. */
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
  /** `expands`: variables and substitutions in its text are replaced. Their commands are in the flat list. */
  | {
      readonly kind: 'here_doc';
      readonly descriptor: Descriptor;
      readonly body: string;
      readonly expands: boolean;
    };

/** A number, the name of a variable that receives one (`{fd}>file`), or the operator's own. */
export type Descriptor = number | string | undefined;

/** What a command can stand in. */
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
  /** Undefined where there are only assignments or redirections. */
  readonly name: ShellWord | undefined;
  readonly args: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirections: readonly ShellRedirection[];
  /** From the outermost to the innermost. */
  readonly inside: readonly Construct[];
  readonly text: string;
}

export type ReadCommand =
  | {
      readonly ok: true;
      /** In the order of the text; those of a substitution follow the command they stand in. */
      readonly commands: readonly SimpleCommand[];
      /** Of compound commands: `{ a; b; } > file`. */
      readonly redirections: readonly ShellRedirection[];
      readonly constructs: ReadonlySet<Construct>;
      /** Why some of its syntax is not understood: it may run more than these commands. Undefined if all of it is. */
      readonly strange: string | undefined;
    }
  | { readonly ok: false; readonly reason: string };
