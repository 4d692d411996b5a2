import { describe, expect, it } from 'vitest';
import { applyEdits } from './apply.ts';

const file = [
  'function outer() {',
  '    if (ready) {',
  '        start();',
  '',
  '        wait();',
  '    }',
  '}',
  '',
].join('\n');

function edited(text: string, old_string: string, new_string: string): string | undefined {
  const applied = applyEdits(text, [{ old_string, new_string }]);
  return applied.ok ? applied.text : undefined;
}

describe('an edit with another indentation', () => {
  it('shifts the new lines right if all lines lack the same indentation', () => {
    expect(edited(file, 'if (ready) {\n    start();\n\n    wait();\n}', 'if (ready) {\n    go();\n}')).toBe(
      'function outer() {\n    if (ready) {\n        go();\n    }\n}\n',
    );
  });

  it('shifts the new lines left if all lines have the same extra indentation', () => {
    const old = '      start();\n\n      wait();'.replaceAll('      ', '            ');
    expect(edited(file, old, '            go();')).toBe(
      'function outer() {\n    if (ready) {\n        go();\n    }\n}\n',
    );
  });

  it('keeps tabs', () => {
    expect(edited('a {\n\t\tone();\n\t\ttwo();\n}\n', '\tone();\n\ttwo();', '\tone();\n\t\tmore();')).toBe(
      'a {\n\t\tone();\n\t\t\tmore();\n}\n',
    );
  });

  it('writes tabs if the file has a tab for the same number of spaces in every line', () => {
    const tabbed = 'a {\n\tif (b) {\n\t\tone();\n\n\t\ttwo();\n\t}\n}\n';
    const old = '  if (b) {\n    one();\n\n    two();\n  }';
    expect(edited(tabbed, old, '  if (b) {\n    one();\n    while (c) {\n      two();\n    }\n  }')).toBe(
      'a {\n\tif (b) {\n\t\tone();\n\t\twhile (c) {\n\t\t\ttwo();\n\t\t}\n\t}\n}\n',
    );
  });

  it('writes spaces if the file has them for every tab', () => {
    expect(edited(file, '\tif (ready) {\n\t\tstart();', '\tif (ready) {\n\t\tgo();\n\t\tstart();')).toBe(
      file.replace('start();', 'go();\n        start();'),
    );
  });

  it('keeps the space before the star of a comment behind a tab', () => {
    const commented = '{\n\t/**\n\t * Starts it.\n\t */\n\tstart();\n}\n';
    const old = '    /**\n     * Starts it.\n     */\n    start();';
    expect(edited(commented, old, '    /**\n     * Starts it.\n     * Twice.\n     */\n    start();')).toBe(
      commented.replace('it.\n', 'it.\n\t * Twice.\n'),
    );
  });

  it('keeps the line endings of the file', () => {
    expect(edited('x {\r\n    one();\r\n    two();\r\n}\r\n', '  one();\n  two();\n', '  three();\n')).toBe(
      'x {\r\n    three();\r\n}\r\n',
    );
  });

  it.each([
    ['two places have the lines', '  one();\n  two();\n    one();\n    two();\n', 'one();\ntwo();\nx', 'y'],
    [
      'two places differ by a shift',
      '    one();\n    two();\n}\n    one();\n    two();\n',
      '  one();\n  two();',
      'z',
    ],
    ['the shift is not uniform', '    one();\n      two();\n', '  one();\n  two();', '  three();'],
    ['tabs have several widths', '\tone();\n\t\ttwo();\n', '    one();\n      two();', '    three();'],
    [
      'a new line is between two levels of tabs',
      '\tone();\n\ttwo();\n',
      '    one();\n    two();',
      '      three();',
    ],
    [
      'two places have the lines with tabs',
      '\tone();\n\ttwo();\n}\n\t\tone();\n\t\ttwo();\n',
      '    one();\n    two();',
      '    three();',
    ],
    ['spaces are in front of tabs', '  \tone();\n  \ttwo();\n', '    one();\n    two();', '    three();'],
    ['a new line has too little indentation', '  one();\n  two();\n', '    one();\n    two();', 'three();'],
    ['there is too little to tell a place by', '  }\n', '    }', '    };'],
  ])('is rejected if %s', (_why, text, old, next) => {
    expect(edited(text, old, next)).toBeUndefined();
  });
});

describe('an edit with typographic quotes in a file that has straight ones', () => {
  it('matches, and writes straight ones', () => {
    expect(edited('say("hello");\n', 'say(“hello”);', 'say(“hello, world”);')).toBe('say("hello, world");\n');
    expect(edited("it's\n", 'it’s', 'it’s “so”')).toBe("it's “so”\n");
  });
});

it('names the invisible characters in which a text differs', () => {
  const applied = applyEdits('const a\u200bb = 1;\n', [{ old_string: 'const ab = 1;', new_string: 'x' }]);
  expect(applied).toMatchObject({
    ok: false,
    message: expect.stringContaining('differs from it only in invisible characters (U+200B in the file).'),
  });
});
