/** Finds the place at which a text stops being JSON. The parser of the engine does not always report it. */

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// oxlint-disable-next-line no-control-regex -- JSON forbids these characters in strings.
const STRING = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

/** "unexpected "]" in line 3", or "it ends too early in line 9". Expects a text that is not JSON. */
export function describeJsonError(text: string): string {
  const at = findJsonError(text);
  const line = text.slice(0, at).split('\n').length;
  const found = text.slice(at).match(/^[\w.+-]{1,20}|^./su)?.[0];
  STRING.lastIndex = at;
  if (found === '"' && !STRING.test(text)) return `a string without an end in line ${line}`;
  return found === undefined
    ? `it ends too early in line ${line}`
    : `unexpected ${JSON.stringify(found)} in line ${line}`;
}

/** The offset of the first character that cannot be part of JSON. The length of the text if only its end is missing. */
function findJsonError(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isFound = pattern.test(text);
    if (isFound) at = pattern.lastIndex;
    return isFound;
  };
  while (true) {
    take(SPACE);
    const sign = text[at] ?? '';
    switch (expected) {
      case 'value':
      case 'value or ]':
        if (sign === '{' || sign === '[') {
          open.push(sign);
          expected = sign === '{' ? 'key or }' : 'value or ]';
          at++;
        } else if (sign === ']' && expected === 'value or ]') {
          open.pop();
          expected = ', or end';
          at++;
        } else if (take(STRING) || take(NUMBER) || take(WORD)) expected = ', or end';
        else return at;
        break;
      case 'key':
      case 'key or }':
        if (sign === '}' && expected === 'key or }') {
          open.pop();
          expected = ', or end';
          at++;
        } else if (take(STRING)) expected = ':';
        else return at;
        break;
      case ':':
        if (sign !== ':') return at;
        expected = 'value';
        at++;
        break;
      case ', or end': {
        const inner = open.at(-1);
        if (inner === undefined) return at;
        if (sign === ',') expected = inner === '{' ? 'key' : 'value';
        else if (sign === (inner === '{' ? '}' : ']')) open.pop();
        else return at;
        at++;
        break;
      }
    }
  }
}
