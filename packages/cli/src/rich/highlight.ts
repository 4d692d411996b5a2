/**
 * Colors code line by line. Each line is final when it is complete, so a painter keeps only the state that crosses lines:
 * an open block comment or multi-line string. It recognizes comments, strings, numbers and keywords of common languages.
 */
import type { Style } from '../terminal/style.ts';

interface Language {
  readonly names: readonly string[];
  /** Starts a comment that ends with the line. */
  readonly lineComments: readonly string[];
  readonly blockComment?: readonly [string, string];
  /** Strings that may span lines, by their mark. */
  readonly longStrings?: readonly string[];
  readonly keywords: ReadonlySet<string>;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

const C_COMMENT = ['/*', '*/'] as const;

const LANGUAGES: readonly Language[] = [
  {
    names: ['ts', 'tsx', 'js', 'jsx', 'mjs', 'cjs', 'typescript', 'javascript'],
    lineComments: ['//'],
    blockComment: C_COMMENT,
    longStrings: ['`'],
    keywords: words(
      'abstract as async await break case catch class const continue debugger default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface keyof let new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield',
    ),
  },
  {
    names: ['py', 'python', 'python3'],
    lineComments: ['#'],
    longStrings: ['"""', "'''"],
    keywords: words(
      'and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield',
    ),
  },
  {
    names: ['sh', 'bash', 'zsh', 'shell', 'console'],
    lineComments: ['#'],
    keywords: words(
      'case do done elif else esac export fi for function if in local return then until while set source exit cd echo',
    ),
  },
  {
    names: [
      'rs',
      'rust',
      'go',
      'c',
      'h',
      'cpp',
      'c++',
      'cc',
      'java',
      'kotlin',
      'kt',
      'swift',
      'cs',
      'csharp',
      'php',
      'dart',
      'scala',
    ],
    lineComments: ['//'],
    blockComment: C_COMMENT,
    keywords: words(
      'abstract as async await bool break byte case catch chan char class const continue crate default defer do double dyn else enum extends extern false final float fn for func fun go goto guard if impl import in include int interface internal let long loop map match mod move mut namespace new nil null nullptr override package private protected pub public range ref return select self Self short static struct super switch template this throw throws trait true try type typedef unsafe use using val var virtual void volatile when where while yield',
    ),
  },
  {
    names: ['rb', 'ruby'],
    lineComments: ['#'],
    keywords: words(
      'and begin break case class def do else elsif end ensure false for if in module next nil not or require rescue return self super then true unless until when while yield',
    ),
  },
  {
    names: ['yaml', 'yml', 'toml', 'ini', 'dockerfile', 'make', 'makefile'],
    lineComments: ['#'],
    keywords: words('true false null yes no on off FROM RUN COPY CMD ENTRYPOINT ENV ARG WORKDIR EXPOSE'),
  },
  {
    names: ['json', 'jsonc', 'json5'],
    lineComments: ['//'],
    blockComment: C_COMMENT,
    keywords: words('true false null'),
  },
  { names: ['css', 'scss', 'less'], lineComments: [], blockComment: C_COMMENT, keywords: words('important') },
  {
    names: ['sql'],
    lineComments: ['--'],
    blockComment: C_COMMENT,
    keywords: words(
      'select from where and or not insert into values update set delete create table drop alter index primary key foreign references join left right inner outer on group by order limit offset as distinct union all having null is in like between exists case when then else end SELECT FROM WHERE AND OR NOT INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE DROP ALTER INDEX PRIMARY KEY FOREIGN REFERENCES JOIN LEFT RIGHT INNER OUTER ON GROUP BY ORDER LIMIT OFFSET AS DISTINCT UNION ALL HAVING NULL IS IN LIKE BETWEEN EXISTS CASE WHEN THEN ELSE END',
    ),
  },
  {
    names: ['lua', 'haskell', 'hs'],
    lineComments: ['--'],
    keywords: words(
      'and break do else elseif end false for function if in local nil not or repeat return then true until while module import where let of case data type',
    ),
  },
];

type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'plain';

interface CodeToken {
  readonly kind: TokenKind;
  readonly text: string;
}

export class CodePainter {
  readonly #style: Style;
  readonly #language: Language | undefined;
  /** The end mark of the open comment or string. */
  #open: { readonly kind: 'comment' | 'string'; readonly end: string } | undefined;

  constructor(language: string, style: Style) {
    this.#style = style;
    const name = language.toLowerCase();
    this.#language = LANGUAGES.find(({ names }) => names.includes(name));
  }

  /** Paints the next line. */
  line(text: string): string {
    if (!this.#language || !this.#style.colors) return text;
    return this.#tokens(text, this.#language)
      .map((token) => this.#paint(token))
      .join('');
  }

  /** Paints an unfinished line without changing the state. */
  peek(text: string): string {
    const open = this.#open;
    const painted = this.line(text);
    this.#open = open;
    return painted;
  }

  #tokens(text: string, language: Language): CodeToken[] {
    const tokens: CodeToken[] = [];
    let at = 0;
    while (at < text.length) {
      const token = this.#next(text, at, language);
      at += token.text.length;
      tokens.push(token);
    }
    return tokens;
  }

  #next(text: string, at: number, language: Language): CodeToken {
    if (this.#open) return this.#closing(text, at, this.#open);
    const { lineComments, blockComment, longStrings = [], keywords } = language;
    if (lineComments.some((mark) => text.startsWith(mark, at)) && !isInWord(text, at))
      return { kind: 'comment', text: text.slice(at) };
    if (blockComment && text.startsWith(blockComment[0], at)) {
      this.#open = { kind: 'comment', end: blockComment[1] };
      return { kind: 'comment', text: blockComment[0] };
    }
    const long = longStrings.find((mark) => text.startsWith(mark, at));
    if (long !== undefined) {
      this.#open = { kind: 'string', end: long };
      return { kind: 'string', text: long };
    }
    const rest = text.slice(at);
    const string = /^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/.exec(rest)?.[0];
    if (string !== undefined) return { kind: 'string', text: string };
    const word = /^[\p{L}_$][\p{L}\p{N}_$-]*/u.exec(rest)?.[0];
    if (word !== undefined) return { kind: keywords.has(word) ? 'keyword' : 'plain', text: word };
    const number = /^\d[\w.]*/.exec(rest)?.[0];
    if (number !== undefined) return { kind: 'number', text: number };
    return { kind: 'plain', text: /^(?:\s+|.)/su.exec(rest)?.[0] ?? rest };
  }

  #closing(
    text: string,
    at: number,
    { kind, end }: { readonly kind: TokenKind; readonly end: string },
  ): CodeToken {
    const found = text.indexOf(end, at);
    if (found < 0) return { kind, text: text.slice(at) };
    this.#open = undefined;
    return { kind, text: text.slice(at, found + end.length) };
  }

  #paint({ kind, text }: CodeToken): string {
    const { paint } = this.#style;
    switch (kind) {
      case 'comment':
        return paint('dim', text);
      case 'string':
        return paint('green', text);
      case 'number':
        return paint('yellow', text);
      case 'keyword':
        return paint('cyan', text);
      case 'plain':
        return text;
    }
  }
}

/** A number sign inside a word, such as `$#` or `a#b`, does not start a comment. */
function isInWord(text: string, at: number): boolean {
  return text[at] === '#' && at > 0 && !/\s/.test(text.charAt(at - 1));
}
