import { cpuMsOf } from '@heddle/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownOf } from './markdown.ts';

const text = async (html: string): Promise<string> => (await markdownOf(html, 'https://host/dir/page')).text;

describe('HTML as markdown', () => {
  it.each([
    ['<h1>A</h1><h3>B <code>c</code></h3>', '# A\n\n### B `c`'],
    ['<p>one<p>two', 'one\n\ntwo'],
    ['a <b>bold</b>, <i>it</i>\n  b', 'a bold, it b'],
    ['a<br>b', 'a\nb'],
    ['&lt;a&gt; &amp; &eacute; &#x41;', '<a> & é A'],
    ['<a href="/x?a=1&amp;b=2">go</a>!', '[go](https://host/x?a=1&b=2)!'],
    ['see <a href="y"> here </a> now', 'see [here](https://host/dir/y) now'],
    [
      '<a href="#top">top</a> <a href="javascript:x()">run</a> <a>bare</a> <a href="/icon"></a>',
      'top run bare',
    ],
    ['<img src="a.png" alt="a  pic"><img src="b.png">', '![a pic](https://host/dir/a.png)'],
    ['<ul><li>a<li>b<ul><li>c</ul></ul>d', '- a\n- b\n  - c\n\nd'],
    ['<ol><li>a</li><li>b</li></ol>', '1. a\n2. b'],
    ['<ul><li><p>a</p></li></ul>', '- a'],
    ['<pre>a\n  b</pre>', '```\na\n  b\n```'],
    ['<pre><code class="hljs language-js">a &lt; b\n\n c</code></pre>', '```js\na < b\n\n c\n```'],
    ['<pre>```</pre>', '````\n```\n````'],
    ['<ul><li>x<pre>a\nb</pre></ul>', '- x\n\n  ```\n  a\n  b\n  ```'],
    ['<blockquote><p>a</p><p>b</p></blockquote>c', '> a\n>\n> b\n\nc'],
    ['<table><tr><th>A<th>B<tr><td>1|2<td>x<br>y</table>z', '| A | B |\n| - | - |\n| 1\\|2 | x y |\n\nz'],
    [
      '<table><tr><td>a<table><tr><td>in<td>ner</table></td><td>b</td></tr></table>',
      '| a in ner | b |\n| - | - |',
    ],
    ['a<script>x<y</script><style>b{}</style><svg><text>s</text></svg><nav><a href=x>menu</a></nav>b', 'ab'],
    ['<nav>never closed <p>text', 'never closed\n\ntext'],
    ['<!-- no --><!doctype html>a<hr>b', 'a\n\n---\n\nb'],
    ['<h2></h2>a', 'a'],
    ['', ''],
  ])('%j is %j', async (html, expected) => {
    expect(await text(html)).toBe(expected);
  });

  it('finds the title', async () => {
    const page = await markdownOf('<head><title> A &amp;\n B </title></head><body>x', 'https://host/');
    expect(page).toEqual({ title: 'A & B', text: 'x' });
  });

  it('never fails', async () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '</',
      '<a href="',
      '"',
      '<pre>',
      '</pre>',
      '<td>',
      '</table>',
      '<table>',
      '<li>',
      '</ul>',
      '&amp',
      '&#',
      'x',
      ' ',
      '\n',
      '<script>',
      '</script>',
      '<!--',
      '-->',
      '<nav>',
      '\0',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        expect(typeof (await text(pieces.join('')))).toBe('string');
      }),
      { numRuns: 500 },
    );
  });

  it('takes linear time, for any nesting and missing tags', async () => {
    for (const html of [
      '<div>'.repeat(200_000),
      '<a '.repeat(100_000),
      '<td>'.repeat(100_000),
      '<b></p>'.repeat(100_000),
      '<nav>'.repeat(50_000),
    ]) {
      expect(await cpuMsOf(() => text(html))).toBeLessThan(3_000);
    }
  });

  it('stops at an abort', async () => {
    await expect(markdownOf('<p>x'.repeat(100_000), 'https://host/', AbortSignal.abort())).rejects.toThrow(
      /abort/i,
    );
  });
});
