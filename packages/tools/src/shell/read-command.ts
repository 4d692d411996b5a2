/** Reads a shell command with a real grammar. A command is rejected if the grammar does not understand all of it. */
import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type ParsedScript,
  type Pipeline,
  type SyntaxNode,
} from 'unbash';
import type {
  Construct,
  ReadCommand,
  ShellAssignment,
  ShellRedirection,
  ShellWord,
  SimpleCommand,
} from './command.ts';
import { printedText } from './printed-text.ts';
import { givesInput, redirectionOf } from './redirections.ts';
import { isCovered, withoutHereDocs } from './syntax/gaps.ts';
import { refuseScript } from './syntax/understand.ts';
import { argumentOf, wordOf } from './shell-word.ts';

/** A user does not check longer commands. */
const LONGEST = 10_000;
/** Commands of one script. A decision about more commands takes too long, for Heddle and for the user. */
const MOST_COMMANDS = 200;
/** The time of the parser grows with the square of their number. */
const MOST_BRACES = 500;

// oxlint-disable-next-line no-control-regex -- the pattern finds control characters
const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/;

export function readCommand(text: string): ReadCommand {
  if (text.length > LONGEST) return { ok: false, reason: `it is longer than ${LONGEST} characters` };
  if (text.split('{').length > MOST_BRACES)
    return { ok: false, reason: `it has more than ${MOST_BRACES} braces` };
  // The shell gets another character in its place.
  if (!text.isWellFormed()) return { ok: false, reason: 'it contains half of a character' };
  if (CONTROL.test(text)) return { ok: false, reason: 'it contains control characters' };
  try {
    return new Reader(text).read();
  } catch (thrown) {
    return { ok: false, reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

class NotUnderstood extends Error {}

class Reader {
  readonly #text: string;
  readonly #root: ParsedScript;
  /** Texts without the bodies of their here-documents. */
  readonly #bare = new Map<string, string>();
  readonly #commands: SimpleCommand[] = [];
  readonly #redirections: ShellRedirection[] = [];
  readonly #loopWords: ShellWord[] = [];
  readonly #constructs = new Set<Construct>();
  /** The construct that is being read may have an input. */
  #hasInput = false;
  /** The known text that a pipe gives to the construct that is being read. */
  #pipedText: string | undefined;
  /** `exec < file` gives an input to all commands of the shell. */
  #changesInput = false;

  constructor(text: string) {
    this.#text = text;
    this.#root = parse(text);
  }

  read(): ReadCommand {
    this.#script(this.#root, [], this.#text);
    return {
      ok: true,
      commands: this.#changesInput
        ? this.#commands.map((command) => Object.assign({}, command, { hasInput: true }))
        : this.#commands,
      redirections: this.#redirections,
      loopWords: this.#loopWords,
      constructs: this.#constructs,
      strange: refuseScript(this.#root, this.#text, this.#bare.get(this.#text) ?? this.#text),
    };
  }

  #script(script: ParsedScript | undefined, inside: readonly Construct[], source: string): void {
    if (script === undefined) throw new NotUnderstood('a substitution could not be read');
    const [error] = script.errors ?? [];
    if (error) throw new NotUnderstood(error.message);
    // A substitution in backquotes has a text of its own.
    const own = script.source ?? source;
    if (own !== source || script === this.#root) this.#bare.set(own, withoutHereDocs(script, own));
    this.#check(script, own);
    const around = script.commands.length > 1 ? this.#entered(inside, 'list') : inside;
    for (const statement of script.commands) this.#node(statement, around, own);
  }

  #check(node: SyntaxNode, source: string): void {
    if (!isCovered(node, this.#bare.get(source) ?? source)) {
      throw new NotUnderstood('there is something between its words that is not understood');
    }
  }

  #node(node: SyntaxNode, inside: readonly Construct[], source: string): void {
    this.#check(node, source);
    switch (node.type) {
      case 'Command':
        return this.#command(node, inside, source);
      case 'Statement':
        return this.#node(
          node.command,
          node.background ? this.#entered(inside, 'background') : inside,
          source,
        );
      case 'CommandExpansion':
        return this.#script(node.script, this.#entered(inside, 'substitution'), source);
      case 'ArithmeticCommandExpansion':
        return this.#script(node.script, this.#entered(inside, 'substitution'), source);
      case 'ProcessSubstitution':
        return this.#withInput(node.operator === '>', () =>
          this.#script(node.script, this.#entered(inside, 'process_substitution'), source),
        );
      case 'Redirected':
        this.#redirections.push(...node.redirects.map(understood));
        break;
      case 'For':
        this.#loopWords.push(...(node.wordlist ?? []).map(wordOf));
        break;
      case 'Redirect':
      case 'HereString':
        // The shell reads a number before an angle bracket as a descriptor, also in the place of a target: `<2>&1`.
        if (
          node.target &&
          /^(\d+|\{\w+\})$/.test(node.target.text) &&
          /[<>]/.test(source[node.target.end] ?? '')
        ) {
          throw new NotUnderstood('a redirection has no target');
        }
        // `<&-a` closes the input and runs `a`: after `<&` and `>&` the shell reads a dash as a separate word.
        if (
          node.type === 'Redirect' &&
          /^[<>]&$/.test(node.operator) &&
          /^-./.test(node.target?.text ?? '')
        ) {
          throw new NotUnderstood('a descriptor is closed with a word attached');
        }
        break;
      case 'HereDocBody':
        return this.#hereDocBody(node, inside, source);
      case 'Unknown':
        throw new NotUnderstood(`the expansion operator ${node.operator} is unknown`);
      case 'ArithmeticExpansion':
        if (node.expression === undefined)
          throw new NotUnderstood('an arithmetic expression could not be read');
        break;
      default:
        break;
    }
    const around = this.#entered(inside, ...constructsOf(node));
    if (node.type === 'Pipeline') return this.#pipeline(node, around, source);
    forEachChild(node, (child) =>
      this.#withInput(mayGiveInput(node, child), () => this.#node(child, around, source)),
    );
  }

  #pipeline(node: Pipeline, around: readonly Construct[], source: string): void {
    const outer = this.#pipedText;
    forEachChild(node, (child) => {
      const start = this.#commands.length;
      this.#withInput(mayGiveInput(node, child), () => this.#node(child, around, source));
      this.#pipedText = printedText(this.#commands.slice(start));
    });
    this.#pipedText = outer;
  }

  #withInput(isGiven: boolean, read: () => void): void {
    const before = this.#hasInput;
    this.#hasInput ||= isGiven;
    read();
    this.#hasInput = before;
  }

  /** Checks the commands in a here-document against the original text, because the outer text has its body blanked. */
  #hereDocBody(node: SyntaxNode, inside: readonly Construct[], source: string): void {
    const bare = this.#bare.get(source) ?? source;
    this.#bare.set(source, source);
    forEachChild(node, (child) => this.#node(child, inside, source));
    this.#bare.set(source, bare);
  }

  #command(node: Command, inside: readonly Construct[], source: string): void {
    if (this.#commands.length >= MOST_COMMANDS)
      throw new NotUnderstood(`it has more than ${MOST_COMMANDS} commands`);
    const assignments = node.prefix.filter((part) => part.type === 'Assignment').map(assignmentOf);
    const name = node.name && wordOf(node.name);
    const args = node.args.map(argumentOf);
    const redirections = node.redirects.map(understood);
    const isGiven = redirections.some(givesInput);
    this.#changesInput ||= isGiven && [name, ...args].some((word) => word?.value === 'exec');
    this.#commands.push({
      name,
      args,
      assignments,
      redirections,
      inside,
      hasInput: this.#hasInput || isGiven,
      ...(this.#pipedText === undefined || isGiven ? {} : { pipedText: this.#pipedText }),
      text: source.slice(node.pos, node.end),
    });
    // Its words and here-documents may contain other commands.
    forEachChild(node, (child) => this.#node(child, inside, source));
  }

  #entered(inside: readonly Construct[], ...constructs: readonly Construct[]): readonly Construct[] {
    if (constructs.length === 0) return inside;
    for (const construct of constructs) this.#constructs.add(construct);
    return [...inside, ...constructs];
  }
}

/** Returns whether the input of a part of a construct may be another one than that of the construct. */
function mayGiveInput(node: SyntaxNode, child: SyntaxNode): boolean {
  switch (node.type) {
    case 'Pipeline':
      return node.commands.some((command, index) => index > 0 && command === child);
    case 'Redirected':
      return node.redirects.some((redirection) => givesInput(understood(redirection)));
    // Any command may call it.
    case 'Function':
    case 'Coproc':
      return true;
    default:
      return false;
  }
}

function understood(redirection: Parameters<typeof redirectionOf>[0]): ShellRedirection {
  const read = redirectionOf(redirection);
  if (read === undefined) throw new NotUnderstood('a redirection has no end');
  return read;
}

function assignmentOf({ name, value, append, index }: Assignment): ShellAssignment {
  const word = value.type === 'Word' && index === undefined ? wordOf(value) : undefined;
  return { name, value: word, append: append === true };
}

function constructsOf(node: SyntaxNode): readonly Construct[] {
  if (node.type === 'Pipeline') {
    const prefixes = node.prefixes.map(({ type }) => (type === 'Time' ? 'time' : 'negation'));
    return node.commands.length > 1 ? [...prefixes, 'pipeline'] : prefixes;
  }
  const construct = constructOf(node);
  return construct === undefined ? [] : [construct];
}

function constructOf(node: SyntaxNode): Construct | undefined {
  switch (node.type) {
    case 'AndOr':
      return 'list';
    case 'Subshell':
      return 'subshell';
    case 'BraceGroup':
      return 'group';
    case 'If':
    case 'Elif':
      return 'if';
    case 'For':
    case 'ArithmeticFor':
    case 'While':
    case 'Select':
      return 'loop';
    case 'Case':
      return 'case';
    case 'Function':
      return 'function';
    case 'Coproc':
      return 'coproc';
    case 'TestCommand':
      return 'test';
    case 'ArithmeticCommand':
    case 'ArithmeticExpansion':
      return 'arithmetic';
    default:
      return undefined;
  }
}
