/**
 * The allow-list of syntax. A command is understood only if every node of its tree has a listed kind and an allowed position,
 * and if the tree covers every character of the text. All other commands need a question to the user, whatever rules allow.
 */
import {
  type ArithmeticFor,
  type Assignment,
  type Case,
  type CaseItem,
  type Command,
  type CompoundList,
  type Elif,
  type If,
  type ParsedScript,
  type Pipeline,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type TestExpression,
  type Word,
} from 'unbash';
import type { ShellWord } from '../command.ts';
import { isOwn } from '../variables.ts';
import { argumentOf, wordOf } from '../shell-word.ts';
import { isCheckedBuiltin, refuseBuiltin, separatesNoNumbers } from './builtins.ts';
import { areGapsIn, BLANKS, END_OF_LIST, isGap, SEPARATOR, type Span } from './gaps.ts';
import { hereDocRefusal } from './here-doc.ts';
import { integersOf, isIntegerExpression, isIntegerOperand } from './integers.ts';
import { type Refusal, refuseDocument, refuseWord, type WordContext } from './word-syntax.ts';

/** Returns the reason why a script is not understood, or undefined. `bare` is the text with the here-documents blanked. */
export function refuseScript(root: ParsedScript, source: string, bare: string): Refusal {
  return new Understanding(source, bare, integersOf(root)).list(root.commands, {
    pos: 0,
    end: source.length,
  });
}

const NOT_COVERED = 'text that belongs to no command';

class Understanding {
  readonly #source: string;
  readonly #bare: string;
  readonly #integers: ReadonlySet<string>;
  readonly #words: WordContext;

  constructor(source: string, bare: string, integers: ReadonlySet<string>) {
    this.#source = source;
    this.#bare = bare;
    this.#integers = integers;
    this.#words = {
      source,
      integers,
      script: ({ script }, inner) => {
        if (script === undefined || script.source !== undefined) return 'a substitution with escapes';
        return this.list(script.commands, inner);
      },
    };
  }

  /** Checks statements that must cover a span of the text. */
  list(statements: readonly Statement[], span: Span): Refusal {
    const pieces = statements.map(({ command }) => command);
    if (pieces.length === 0) return this.#isGap(span.pos, span.end, /^\s*$/) ? undefined : NOT_COVERED;
    const gaps = { before: /^\s*$/, between: SEPARATOR, after: END_OF_LIST };
    if (!areGapsIn(this.#bare, span, pieces, gaps)) return NOT_COVERED;
    return this.#all(pieces);
  }

  #all(nodes: readonly SyntaxNode[]): Refusal {
    for (const node of nodes) {
      const refusal = this.#node(node);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #node(node: SyntaxNode): Refusal {
    switch (node.type) {
      case 'Command':
        return this.#command(node);
      case 'Pipeline':
        return this.#pipeline(node);
      case 'Time':
        return /^time(?:[ \t]+-p)?$/.test(this.#text(node)) ? undefined : 'an unusual time';
      case 'Negation':
        return this.#text(node) === '!' ? undefined : 'an unusual negation';
      case 'AndOr': {
        const gaps = { before: BLANKS, between: /^[ \t]*(?:&&|\|\|)\s*$/, after: BLANKS };
        return areGapsIn(this.#bare, node, node.commands, gaps) ? this.#all(node.commands) : NOT_COVERED;
      }
      case 'Subshell':
        if (this.#bare.startsWith('((', node.pos)) return 'two opening brackets';
        return this.#enclosed(node, node.body, '(', ')');
      case 'BraceGroup':
        return this.#enclosed(node, node.body, '{', '}');
      case 'If':
        return this.#condition(node);
      case 'While':
        return this.#keywords(node, [
          [/^(?:while|until)\s+$/, node.clause],
          [/^[ \t]*[;&\n]\s*do\s+$/, node.body],
          [/^[ \t]*[;&\n]\s*done$/, undefined],
        ]);
      case 'For':
        return this.#loop(node.name, node.wordlist, node.body, node);
      case 'ArithmeticFor':
        return this.#arithmeticLoop(node);
      case 'ArithmeticCommand':
        return this.#text(node) === `((${node.body}))` && isIntegerExpression(node.body, this.#integers)
          ? undefined
          : 'arithmetic with more than plain numbers';
      case 'Case':
        return this.#case(node);
      case 'TestCommand': {
        const gaps = { before: /^\[\[\s+$/, between: BLANKS, after: /^\s+\]\]$/ };
        return areGapsIn(this.#bare, node, [node.expression], gaps)
          ? this.#test(node.expression)
          : NOT_COVERED;
      }
      case 'Redirected': {
        const pieces = [node.command, ...node.redirects];
        const gaps = { before: BLANKS, between: BLANKS, after: BLANKS };
        return areGapsIn(this.#bare, node, pieces, gaps) ? this.#all(pieces) : NOT_COVERED;
      }
      case 'Function': {
        const head = this.#bare.slice(node.pos, node.body.pos);
        const isPlain = /^(?:function[ \t]+)?[A-Za-z_][\w-]*(?:[ \t]*\([ \t]*\))?\s*$/.test(head);
        return isPlain && node.body.end === node.end ? this.#node(node.body) : 'an unusual function';
      }
      case 'Redirect':
      case 'HereString':
      case 'HereDoc':
        return this.#redirection(node);
      case 'Assignment':
        return this.#assignment(node);
      case 'Word':
        return refuseWord(node, this.#words);
      default:
        return `syntax of the kind ${node.type}`;
    }
  }

  #pipeline(node: Pipeline): Refusal {
    const { prefixes, commands } = node;
    const first = commands[0];
    if (first === undefined) return 'an empty pipeline';
    const start = { pos: node.pos, end: first.pos };
    const areBlank =
      prefixes.length === 0 ||
      areGapsIn(this.#bare, start, prefixes, { before: BLANKS, between: /^[ \t]+$/, after: /^[ \t]+$/ });
    const rest = { pos: first.pos, end: node.end };
    const gaps = { before: BLANKS, between: /^[ \t]*\|&?\s*$/, after: BLANKS };
    if (!areBlank || !areGapsIn(this.#bare, rest, commands, gaps)) return NOT_COVERED;
    return this.#all(prefixes) ?? this.#all(commands);
  }

  #arithmeticLoop(node: ArithmeticFor): Refusal {
    const start = firstOf(node.body);
    const head = /^for[ \t]*\(\(([^()]*)\)\)[ \t]*;?\s*do\s+$/.exec(this.#bare.slice(node.pos, start));
    const parts = head?.[1]?.split(';') ?? [];
    const isPlain =
      parts.length === 3 &&
      parts.every((part) => part.trim() === '' || isIntegerExpression(part, this.#integers));
    if (!isPlain) return 'arithmetic with more than plain numbers';
    return this.#keywords({ pos: start, end: node.end }, [
      [/^$/, node.body],
      [/^[ \t]*[;&\n]\s*done$/, undefined],
    ]);
  }

  #text({ pos, end }: Span): string {
    return this.#bare.slice(pos, end);
  }

  #isGap(from: number, to: number, pattern: RegExp): boolean {
    return isGap(this.#bare, from, to, pattern);
  }

  #enclosed(node: Span, body: CompoundList, open: string, close: string): Refusal {
    const text = this.#text(node);
    const isBrace = open === '{';
    if (!text.startsWith(open) || !text.endsWith(close) || (isBrace && !/^\{\s/.test(text)))
      return NOT_COVERED;
    if (isBrace && !endsCommand(text.slice(0, -1))) return NOT_COVERED;
    return this.list(body.commands, { pos: node.pos + 1, end: node.end - 1 });
  }

  /** Checks keywords with lists between them. Each pattern matches the text before its list, or before the end. */
  #keywords(node: Span, steps: readonly (readonly [RegExp, CompoundList | undefined])[]): Refusal {
    let at = node.pos;
    for (const [pattern, list] of steps) {
      const to = list === undefined ? node.end : firstOf(list);
      if (!this.#isGap(at, to, pattern)) return NOT_COVERED;
      if (list === undefined) continue;
      const end = list.commands.at(-1)?.command.end ?? list.end;
      const refusal = this.list(list.commands, { pos: to, end });
      if (refusal !== undefined) return refusal;
      at = end;
    }
    return undefined;
  }

  #condition(node: If): Refusal {
    const then = /^[ \t]*[;&\n]\s*then\s+$/;
    const branches = node.elif.flatMap((elif: Elif) => [
      [/^[ \t]*[;&\n]\s*elif\s+$/, elif.clause] as const,
      [then, elif.then] as const,
    ]);
    return this.#keywords(node, [
      [/^if\s+$/, node.clause],
      [then, node.then],
      ...branches,
      ...(node.else ? [[/^[ \t]*[;&\n]\s*else\s+$/, node.else] as const] : []),
      [/^[ \t]*[;&\n]\s*fi$/, undefined],
    ]);
  }

  #loop(name: Word, words: readonly Word[] | undefined, body: CompoundList, node: Span): Refusal {
    if (!isOwn(name.text)) return `a loop that sets the variable ${name.text}`;
    if (!this.#isGap(node.pos, name.pos, /^for[ \t]+$/)) return NOT_COVERED;
    let at = name.end;
    for (const [index, word] of (words ?? []).entries()) {
      if (!this.#isGap(at, word.pos, index === 0 ? /^\s+in[ \t]+$/ : /^[ \t]+$/)) return NOT_COVERED;
      at = word.end;
    }
    const refusal = this.#all(words ?? []);
    if (refusal !== undefined) return refusal;
    return this.#keywords({ pos: at, end: node.end }, [
      [words?.length === 0 ? /^\s+in[ \t]*[;\n]\s*do\s+$/ : /^[ \t]*[;\n]\s*do\s+$/, body],
      [/^[ \t]*[;&\n]\s*done$/, undefined],
    ]);
  }

  #case(node: Case): Refusal {
    const { word, items } = node;
    if (!this.#isGap(node.pos, word.pos, /^case[ \t]+$/)) return NOT_COVERED;
    const span = { pos: word.end, end: node.end };
    const gaps = { before: /^\s+in\s+$/, between: /^\s*$/, after: /^\s*esac$/ };
    if (!areGapsIn(this.#bare, span, items, gaps)) return NOT_COVERED;
    for (const item of items) {
      const refusal = this.#caseItem(item);
      if (refusal !== undefined) return refusal;
    }
    return this.#node(word);
  }

  #caseItem({ pattern, body, terminator, pos, end }: CaseItem): Refusal {
    const last = pattern.at(-1);
    if (last === undefined) return NOT_COVERED;
    const head = { pos, end: last.end };
    if (
      !areGapsIn(this.#bare, head, pattern, {
        before: /^(?:\([ \t]*)?$/,
        between: /^[ \t]*\|[ \t]*$/,
        after: /^$/,
      })
    )
      return NOT_COVERED;
    const first = firstOf(body);
    const isEmpty = body.commands.length === 0;
    const close = isEmpty ? end : first;
    const rest = this.#bare.slice(last.end, close);
    if (isEmpty) return /^[ \t]*\)\s*(?:;;)?$/.test(rest) ? this.#all(pattern) : NOT_COVERED;
    if (!this.#isGap(last.end, first, /^[ \t]*\)\s*$/)) return NOT_COVERED;
    const bodyEnd = body.commands.at(-1)?.command.end ?? body.end;
    if (!this.#isGap(bodyEnd, end, new RegExp(`^\\s*[;&]?\\s*${terminator ?? ''}\\s*$`))) return NOT_COVERED;
    return this.#all(pattern) ?? this.list(body.commands, { pos: first, end: bodyEnd });
  }

  #test(node: TestExpression): Refusal {
    switch (node.type) {
      case 'TestLogical': {
        const between = node.operator === '&&' ? /^\s+&&\s+$/ : /^\s+\|\|\s+$/;
        if (!areGapsIn(this.#bare, node, node.operands, { before: /^$/, between, after: /^$/ }))
          return NOT_COVERED;
        return this.#tests(node.operands);
      }
      case 'TestNot': {
        const pieces = [...node.negations, node.operand];
        if (!areGapsIn(this.#bare, node, pieces, { before: /^$/, between: /^\s+$/, after: /^$/ }))
          return NOT_COVERED;
        return this.#test(node.operand);
      }
      case 'TestGroup': {
        const gaps = { before: /^\(\s+$/, between: BLANKS, after: /^\s+\)$/ };
        return areGapsIn(this.#bare, node, [node.expression], gaps)
          ? this.#test(node.expression)
          : NOT_COVERED;
      }
      case 'TestUnary': {
        const { operator, operand } = node;
        const written = this.#bare.slice(node.pos, operand.pos);
        const isBare = operator === '-n' && written === '';
        if (!isBare && (!/^-[a-hknpr-suwxzGLNOS]$/.test(operator) || written.trim() !== operator))
          return `the test ${operator}`;
        return operand.end === node.end ? this.#node(operand) : NOT_COVERED;
      }
      case 'TestBinary': {
        const { operator, left, right } = node;
        const between = this.#bare.slice(left.end, right.pos);
        if (between.trim() !== operator || !/^\s.*\s$/s.test(between)) return NOT_COVERED;
        if (left.pos !== node.pos || right.end !== node.end) return NOT_COVERED;
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) {
          const arePlain = [left, right].every(({ text }) => isIntegerOperand(text, this.#integers));
          return arePlain ? undefined : 'a comparison of more than plain numbers';
        }
        if (operator === '=~' && !/^(?:[\w.^$*+?,:@%/-]+|"?\$\{?[a-z_]\w*\}?"?)$/.test(right.text))
          return 'an unusual pattern';
        if (!/^(?:==?|!=|=~|<|>|-nt|-ot|-ef)$/.test(operator)) return `the test ${operator}`;
        return operator === '=~' ? this.#node(left) : (this.#node(left) ?? this.#node(right));
      }
    }
  }

  #tests(nodes: readonly TestExpression[]): Refusal {
    for (const node of nodes) {
      const refusal = this.#test(node);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #command(node: Command): Refusal {
    const pieces = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix].sort(
      (left, right) => left.pos - right.pos,
    );
    let at = node.pos;
    let isGlued = true;
    for (const piece of pieces) {
      const isRedirection =
        piece.type === 'Redirect' || piece.type === 'HereString' || piece.type === 'HereDoc';
      if (!this.#isGap(at, piece.pos, isGlued || isRedirection ? BLANKS : /^[ \t]+$/)) return NOT_COVERED;
      // A word after the target of a redirection may belong to it: `> >(x)a`.
      isGlued = piece.type === 'HereDoc';
      at = piece.end;
    }
    if (at !== node.end && !this.#isGap(at, node.end, BLANKS)) return NOT_COVERED;
    const refusal = this.#all(pieces);
    if (refusal !== undefined || node.name === undefined) return refusal;
    const name = wordOf(node.name);
    if (!isCheckedBuiltin(name.value)) return undefined;
    const args = node.args.map((argument) => {
      const word = argumentOf(argument);
      const isNumber = isIntegerOperand(word.text, this.#integers);
      return isNumber ? Object.assign(word, { single: true }) : word;
    });
    return refuseBuiltin([name, ...args]);
  }

  #assignment({ name, value, append, index, pos, end, text }: Assignment): Refusal {
    if (index !== undefined) return 'an array element with an index';
    const head = `${name}${append ? '+=' : '='}`;
    if (
      !/^[A-Za-z_]\w*$/.test(name) ||
      !text.startsWith(head) ||
      value.pos !== pos + head.length ||
      value.end !== end
    )
      return 'an unusual assignment';
    if (name === 'IFS' && value.type === 'Word' && !separatesNoNumbers(wordOf(value)))
      return 'numbers that are split into words';
    if (value.type === 'Word') return this.#node(value);
    const { elements } = value;
    if (elements.some((element) => element.text.startsWith('['))) return 'an array element with an index';
    if (elements.length === 0) return /^\(\s*\)$/.test(this.#text(value)) ? undefined : NOT_COVERED;
    const gaps = { before: /^\(\s*$/, between: /^\s+$/, after: /^\s*\)$/ };
    return areGapsIn(this.#bare, value, elements, gaps) ? this.#all(elements) : NOT_COVERED;
  }

  #redirection(node: Redirection): Refusal {
    const { descriptor, operator } = node;
    if (descriptor?.type === 'FileDescriptorVariable') return 'a redirection that sets a variable';
    const head = `${descriptor?.value ?? ''}${operator}`;
    const target = node.type === 'HereDoc' ? node.delimiter : node.target;
    if (target === undefined) return 'a redirection without a target';
    const written = this.#bare.slice(node.pos, target.pos);
    if (written.replace(/(?<![ \t])[ \t]+$/, '') !== head || target.end !== node.end)
      return 'an unusual redirection';
    if (operator === '>&' && target.type === 'Word' && !isPlainDuplicate(wordOf(target)))
      return 'a file name that the shell expands twice';
    if (target.type === 'Word') return this.#node(target);
    if (node.type !== 'HereDoc') return 'an unusual redirection';
    const refusal = hereDocRefusal(node, this.#source);
    if (refusal !== undefined || target.quoted) return refusal;
    // The body is checked against the original text.
    const inner = new Understanding(this.#source, this.#source, this.#integers);
    return refuseDocument(node.body, inner.#words);
  }
}

/** Characters that no expansion changes. */
const NEVER_EXPANDED = /^[\p{L}\p{N}_\-.,/:=@%+]+$/u;

/**
 * Bash expands the word after `>&` a second time, with its substitutions, if it is not a number: `>&'a$(x)'` runs `x`. The
 * value of a variable may contain anything.
 */
function isPlainDuplicate({ kind, value }: ShellWord): boolean {
  return kind === 'literal' && NEVER_EXPANDED.test(value);
}

/** Whether a text ends with a sign that ends a command, and blanks behind it. */
function endsCommand(text: string): boolean {
  const bare = text.trimEnd();
  return bare.endsWith(';') || bare.endsWith('&') || text.slice(bare.length).includes('\n');
}

/** The position of the first command of a list. */
function firstOf(list: CompoundList): number {
  return list.commands[0]?.command.pos ?? list.pos;
}
