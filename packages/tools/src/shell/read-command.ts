/** Reads a shell command with a real grammar. A command is rejected if the grammar does not understand all of it. */
import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type ParsedScript,
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
import { redirectionOf } from './redirections.ts';
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

  constructor(text: string) {
    this.#text = text;
    this.#root = parse(text);
  }

  read(): ReadCommand {
    this.#script(this.#root, [], this.#text);
    return {
      ok: true,
      commands: this.#commands,
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
        return this.#script(node.script, this.#entered(inside, 'process_substitution'), source);
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
    forEachChild(node, (child) => this.#node(child, around, source));
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
    this.#commands.push({
      name: node.name && wordOf(node.name),
      args: node.args.map(argumentOf),
      assignments,
      redirections: node.redirects.map(understood),
      inside,
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
