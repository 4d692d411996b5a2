/** Markdown in which HTML is shown and not obeyed: a page may not load or run what somebody said. Code stays as it is. Pure. */

export function withoutTags(markdown: string): string {
  let fence = '';
  return markdown
    .split('\n')
    .map((line) => {
      const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
      if (fence !== '') {
        if (mark.startsWith(fence) && line.trim() === mark) fence = '';
        return line;
      }
      fence = mark;
      return mark === '' ? shown(line) : line;
    })
    .join('\n');
}

/** A piece of code within a line: as many marks before it as behind it. */
const CODE = /(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g;

function shown(line: string): string {
  let at = 0;
  let text = '';
  for (const { index, 0: code } of line.matchAll(CODE)) {
    text += escaped(line.slice(at, index)) + code;
    at = index + code.length;
  }
  return text + escaped(line.slice(at));
}

/** Tags, and images: looking at a text must not ask somebody's server for one. */
function escaped(text: string): string {
  return text.replaceAll(/<(?=[a-z/!?])/gi, '&lt;').replaceAll('![', String.raw`!\[`);
}
