/** The syntax of git's configuration files. Pure. */

export interface GitSetting {
  /** `section.name` or `section.subsection.name`; section and name in lower case. */
  readonly key: string;
  /** Undefined: written without `=`, which git treats as true. */
  readonly value: string | undefined;
}

/** Undefined if git would reject the text, or might read it differently. A value that versions read differently is there twice. */
export function parseGitConfig(text: string): readonly GitSetting[] | undefined {
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const settings: GitSetting[] = [];
  let section = '';
  let at = 0;
  while (at < source.length) {
    const char = source.charAt(at);
    if (/[\t-\r ]/.test(char)) {
      if (!/[ \t\r\n]/.test(char)) return undefined;
      at++;
    } else if (char === '#' || char === ';') {
      const end = source.indexOf('\n', at);
      at = end < 0 ? source.length : end;
    } else if (char === '[') {
      const header = parseHeader(source, at);
      if (header === undefined) return undefined;
      section = header.section;
      at = header.end;
    } else {
      NAME.lastIndex = at;
      const [matched, name = ''] = NAME.exec(source) ?? [];
      if (matched === undefined || section === '') return undefined;
      at += matched.length;
      const key = `${section}.${name.toLowerCase()}`;
      const next = source.charAt(at);
      if (next === '' || next === '\n') {
        settings.push({ key, value: undefined });
        continue;
      }
      const value = next === '=' ? parseValue(source, at + 1) : undefined;
      if (value === undefined) return undefined;
      for (const text of new Set([value.text, value.older])) settings.push({ key, value: text });
      at = value.end;
    }
  }
  return settings;
}

const NAME = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y;
const HEADER = /\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;

function parseHeader(
  source: string,
  at: number,
): { readonly section: string; readonly end: number } | undefined {
  HEADER.lastIndex = at;
  const [matched, name = '', sub] = HEADER.exec(source) ?? [];
  if (matched === undefined) return undefined;
  const section = name.toLowerCase();
  return {
    section: sub === undefined ? section : `${section}.${sub.replaceAll(/\\(.)/g, '$1')}`,
    end: at + matched.length,
  };
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' };

interface ParsedValue {
  readonly text: string;
  /** The text in versions that read each tab between words as a blank. */
  readonly older: string;
  readonly end: number;
}

/** Parses from after the `=` to the end of the line, with continued lines. */
function parseValue(source: string, start: number): ParsedValue | undefined {
  let text = '';
  let older = '';
  let kept = 0;
  let isQuoted = false;
  const valueUntil = (end: number): ParsedValue => ({
    text: text.slice(0, kept),
    older: older.slice(0, kept),
    end,
  });
  for (let at = start; ; at++) {
    const char = source.charAt(at);
    if (char === '' || char === '\n') return isQuoted ? undefined : valueUntil(at);
    if (!isQuoted && (char === '#' || char === ';')) {
      const end = source.indexOf('\n', at);
      return valueUntil(end < 0 ? source.length : end);
    }
    if (!isQuoted && (char === ' ' || char === '\t' || char === '\r')) {
      if (text !== '') [text, older] = [text + char, `${older} `];
      continue;
    }
    if (char === '"') {
      isQuoted = !isQuoted;
      kept = text.length;
      continue;
    }
    if (char === '\\') {
      at++;
      if (source.charAt(at) === '\n') {
        // Blanks before it belong to the value.
        kept = text.length;
        continue;
      }
      const escaped = ESCAPES[source.charAt(at)];
      if (escaped === undefined) return undefined;
      [text, older] = [text + escaped, older + escaped];
    } else [text, older] = [text + char, older + char];
    kept = text.length;
  }
}
