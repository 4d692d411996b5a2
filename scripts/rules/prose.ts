// The prose rules: comments, strings, test titles and documents are plain American English. See CONTRIBUTING.md.
import { Visitor } from 'oxc-parser';
import { type Finding, finding, type Source, type TextFile } from './source.ts';

interface ProseRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly advice: string;
  /** The rule applies to sentences, not to strings of one or two words. */
  readonly sentencesOnly?: boolean;
}

const rules: readonly ProseRule[] = [
  {
    name: 'prose-opener',
    pattern: /(?:^\s*|[.!:;]\s+)(?:What|Whoever|Where|Who|Nobody)\b(?![^.!]*\?)/gm,
    advice: 'start with the subject and name the actor',
    sentencesOnly: true,
  },
  {
    name: 'prose-actor',
    pattern: /\b(?:nobody|somebody|whoever|anybody|whatever is)\b/gi,
    advice: 'name the actor: caller, user, host, model, consumer, provider',
  },
  {
    name: 'prose-is-no',
    pattern: /(?<!\bthere\s+)\bis no\b(?! (?:longer|more|less|fewer|way|need)\b)/gi,
    advice: 'write "is not a …" instead of "is no …"',
  },
  {
    name: 'prose-metaphor',
    pattern:
      /\b(?:purses?|kitchens?|cook(?:s|ed|ing)?|recipes?|stances?|tellers?|doors?|roads?|rooms?|floors?|houses?|desks?|ghosts?)\b/gi,
    advice: 'use the usual technical word: port, pipeline, module, layer, package, placeholder',
  },
  {
    name: 'prose-verb',
    pattern:
      /\b(?:mend(?:s|ed|ing)?|reckon(?:s|ed|ing)?|goes on|go on|went on|going on|held against|holds? against|stands? for|taken? back|takes back|speaks? of|tells? apart)\b/gi,
    advice: 'use the one-word verb: repair, estimate, continue, check, represent, retract, concern',
  },
  {
    name: 'american-spelling',
    pattern: britishSpellings(),
    advice: 'use the American spelling',
  },
];

/** String literals that are exactly one of these words are not prose. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['stance', 'the type and the field of a session entry on disk'],
  ['mended', 'the type of a session entry on disk'],
  ['mends', 'a field of a session entry on disk'],
  ['colour', 'an option of grep'],
  ['signalled', 'the end of a task in the file of its notice on disk'],
]);

function britishSpellings(): RegExp {
  const verbs =
    'authoris canonicalis capitalis categoris customis externalis finalis generalis initialis materialis maximis memoris minimis normalis optimis organis prioritis realis recognis sanitis serialis specialis stabilis standardis summaris synchronis tokenis utilis visualis';
  const words =
    'behaviours? colours? coloured favours? favourites? honours? honoured neighbours? neighbouring labours? licences? centres? metres? catalogues? grey greyed artefacts? whilst learnt spelt burnt judgement mould defence offence travelled travelling modelling modelled labelled labelling signalled signalling fulfil fulfils programme analyse[ds]? analysing';
  const alternatives = (list: string) => list.split(' ').join('|');
  const endings = 'e|es|ed|er|ers|ing|ation|ations|able';
  return new RegExp(`\\b(?:\\w*(?:${alternatives(verbs)})(?:${endings})|${alternatives(words)})\\b`, 'gi');
}

/** Checks the path, every comment and every string of a source file. Test titles are strings. */
export function proseInCode(source: Source): Finding[] {
  const findings: Finding[] = [];
  const paths = new Set<unknown>();
  check({ ...source, text: '' }, source.path, 0, false, findings);
  for (const { value, start } of source.comments) {
    const plain = value.replace(/^\s*\*/gm, blank).replace(/`[^`\n]*`/g, blank);
    check(source, plain, start + 2, true, findings);
  }
  const checkString = (value: unknown, start: number) => {
    if (typeof value !== 'string' || exceptions.has(value)) return;
    check(source, value, start + 1, /\s\S+\s/.test(value), findings);
  };
  new Visitor({
    ImportDeclaration: (node) => paths.add(node.source),
    ExportNamedDeclaration: (node) => paths.add(node.source),
    ExportAllDeclaration: (node) => paths.add(node.source),
    ImportExpression: (node) => paths.add(node.source),
    Literal: (node) => {
      // An imported file reports its own path.
      if (!paths.has(node)) checkString(node.value, node.start);
    },
    TemplateElement: (node) => checkString(node.value.raw, node.start),
  }).visit(source.program);
  return findings;
}

/** Checks a document except its code blocks and inline code. */
export function proseInDocument(file: TextFile): Finding[] {
  const findings: Finding[] = [];
  const prose = file.text.replace(/```[\s\S]*?```/g, blank).replace(/`[^`\n]*`/g, blank);
  check(file, prose, 0, true, findings);
  return findings;
}

/** Replaces text by spaces, so that offsets after it stay the same. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function check(
  file: TextFile,
  prose: string,
  offset: number,
  isSentence: boolean,
  findings: Finding[],
): void {
  for (const { name, pattern, advice, sentencesOnly } of rules) {
    if (sentencesOnly === true && !isSentence) continue;
    for (const { index, 0: found } of prose.matchAll(pattern)) {
      const start = index + found.search(/\w/);
      findings.push(finding(file, offset + start, name, `"${found.slice(start - index)}": ${advice}`));
    }
  }
}

/** Path prefix → number of prose findings that are still accepted under it. */
export type ProseAllowance = Readonly<Record<string, number>>;

/** Splits findings by the longest allowed prefix of their paths; the key '' collects all others. */
function groupByAllowance(findings: readonly Finding[], allowance: ProseAllowance) {
  const prefixes = Object.keys(allowance).sort((a, b) => b.length - a.length);
  return Map.groupBy(findings, ({ path }) => prefixes.find((prefix) => path.startsWith(prefix)) ?? '');
}

/** Returns the findings of every prefix that has more of them than allowed. */
export function aboveAllowance(findings: readonly Finding[], allowance: ProseAllowance): Finding[] {
  return [...groupByAllowance(findings, allowance)].flatMap(([prefix, group]) =>
    group.length > (allowance[prefix] ?? 0) ? group : [],
  );
}

/** Returns the allowance without clean prefixes and with no number above the present count. */
export function lowerAllowance(findings: readonly Finding[], allowance: ProseAllowance): ProseAllowance {
  const groups = groupByAllowance(findings, allowance);
  const counts = Object.entries(allowance).map(
    ([prefix, allowed]) => [prefix, Math.min(allowed, groups.get(prefix)?.length ?? 0)] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
