/** The syntax of git's configuration files. Pure. */

export interface GitSetting {
  /** `section.name` or `section.subsection.name`; section and name in lower case. */
  readonly key: string;
  /** Undefined: written without `=`, which git treats as true. */
  readonly value: string | undefined;
}

/** Undefined if git would reject the text, or might read it differently. */
export function parseGitConfig(text: string): readonly GitSetting[] | undefined {
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const settings: GitSetting[] = [];
  let section = '';
  let at = 0;
  while (at < source.length) {
    const char = source.charAt(at);
    if (/\s/.test(char)) {
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
      settings.push({ key, value: value.text });
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

/** Parses from after the `=` to the end of the line, with continued lines. */
function parseValue(
  source: string,
  start: number,
): { readonly text: string; readonly end: number } | undefined {
  let text = '';
  let kept = 0;
  let isQuoted = false;
  let hasTab = false;
  for (let at = start; ; at++) {
    const char = source.charAt(at);
    if (char === '' || char === '\n') return isQuoted ? undefined : { text: text.slice(0, kept), end: at };
    if (!isQuoted && (char === '#' || char === ';')) {
      const end = source.indexOf('\n', at);
      return { text: text.slice(0, kept), end: end < 0 ? source.length : end };
    }
    if (!isQuoted && (char === ' ' || char === '\t' || char === '\r')) {
      if (text !== '') text += char;
      hasTab ||= text !== '' && char !== ' ';
      continue;
    }
    // Inside a value, some versions of git read a blank instead.
    if (hasTab) return undefined;
    if (char === '"') {
      isQuoted = !isQuoted;
      kept = text.length;
      continue;
    }
    if (char === '\\') {
      at++;
      if (source.charAt(at) === '\n') continue;
      const escaped = ESCAPES[source.charAt(at)];
      if (escaped === undefined) return undefined;
      text += escaped;
    } else text += char;
    kept = text.length;
  }
}
