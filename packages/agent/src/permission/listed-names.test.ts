/** Without the read-only view, a name from a text may be that of a file that shows another process. */
import { describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { CLEAN_GIT, ROOT, worldOf } from './test/world.ts';

function decision(
  command: string,
  { view = false, proc = true, allow = [] as string[], more = [] as string[] } = {},
): string {
  const files = [...more, `${ROOT}/list`, `${ROOT}/src/a.ts`, ...(proc ? ['/proc'] : [])];
  const world = { ...worldOf({ files, git: CLEAN_GIT }), readOnlyView: view };
  const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, rules, 'default', world).decision;
}

const LISTED = [
  'xargs cat < list',
  'f=/p; cat ${f}roc/1/e*n',
  'f=/p; g=env; cat ${f}roc/1/${g}iron',
  'for f in /p; do cat ${f}roc/1/e*n; done',
  'f=/p; grep -a M ${f}roc/1/e*n',
  'cat "$(pwd)"/../../../../p*c/1/e*n',
  "cat $(echo x | grep -l --label='/p*c/1/e*n' x)",
  "f=/pro; cat $f'c'/1/e*n",
  'f=/p; cat ${f}"roc"/1/e*n',
  'f=/p; cat ${f}\\roc/1/e*n',
  'f=/p; cat ${f}ro{c,d}/1/e*n',
  'f=/pr; f+=oc; cat $f/1/e*n',
  'f=/pr; g=${f}oc; cat $g/1/e*n',
  'f=/p; for g in ${f}roc/1; do cat $g/e*n; done',
  'f=/xroc; cat ${f/x/p}/1/e*n',
  'f=/PROC; cat ${f,,}/1/e*n',
  'cat ${SHELL%/bin/bash}/p*c/1/e*n',
  'f=..; cat $f/$f/$f/$f/p*c/1/e*n',
  'f=..; cat "$f"/"$f"/p*c/1/e*n',
  'cat ~root/../p*c/1/e*n',
  'cat ~+/../../../../p*c/1/e*n',
  'f=/p; g=c/1/e; cat "$f"ro"$g"*n',
  'x=p; cat src/../../../${x}roc/1/e*n',
  'cat {/p,q}r*/1/e*n',
  'cat {/,q}*/1/e*n',
  'cat {..,x}/../p*c/1/e*n',
  'cat ../../{p,x}*c/1/e*n',
  'a=(/p*c); cat $a/1/e*n',
  "a=('/p?oc/1/e*n'); cat $a",
  'cat $x/p*c/1/e*n',
  'cat "$x"/p*c/1/e*n',
  'cat "$1"/p*c/1/e*n',
  'cat "$@"/p*c/1/e*n',
  'cat $(true)/p*c/1/e*n',
  'cat "$(ls nothing)"/p*c/1/e*n',
  'x=\'\'; cat "$x"/p*c/1/e*n',
  "for x in ''; do cat $x/p*c/1/e*n; done",
  'echo / > /dev/null; cat $_/p*c/1/e*n',
  'x=~/../../p*c/1/e*n; cat $x',
  'cat ~/.$1/../p*c/1/e*n',
  'cat ~/.$1./../p*c/1/e*n',
  'cd -; cat p*c/1/e*n',
  'set -- /p; cd $1roc; cat 1/e*n',
  "IFS=,; x='a,/p?oc/1/e*n'; cat $x",
  "x='q /p?oc/1/e*n'; cat $x",
  'ls oc | xargs -I% cat /pr%/1/fd/3',
  'find $x/p* -maxdepth 2 -exec cat {} +',
  'for i in "$x"/*; do cat "$i"/1/e*n; done',
  'x=/d; cat ${x}ev/watchdog',
  'for f in /dev/*; do cat $f$x; done',
  'head 5 | xargs cat',
  'cat $(sort 1)',
  'tail 1 | xargs cat',
  'xargs -a list cat',
  'cat $(cat list)',
  'cat "$(< list)"',
  'cat `cat list`',
  'x=$(cat list); cat "$x"',
  'x=$(head -n 1 list); head "$x"',
  'while read -r f; do cat "$f"; done < list',
  'cat list | while read -r f; do cat "$f"; done',
  'cat list | xargs cat',
  'sort list | xargs cat',
  'tail -n 1 list | xargs cat',
  'grep . list | xargs cat',
  'jq -r .f list | xargs cat',
  'git show HEAD:list | xargs cat',
  'git log -1 --format=%s | xargs cat',
  'git diff --name-only --line-prefix=/pr | xargs cat',
  'for f in $(cat list); do cat "$f"; done',
  'read -r f < list; cat "$f"',
  'find . -name list | xargs cat | xargs cat',
  'cat $(find . -name list | xargs cat)',
  "printf '/pr%s/1/envir%s' oc on | xargs cat",
  "echo '/pr' | sed 's,$,oc/1/envir,' | xargs cat",
  "echo -e '/pr\\x6fc/1/envi\\x72on' | xargs cat",
  'ls | sed s/a/b/ | xargs cat',
  "find . -printf '/pr%f' | xargs cat",
  'cat /pr$(echo oc)/1/fd/$(echo 3)',
  'cat $(echo /pr)$(echo oc)/1/fd/3',
  'echo oc | xargs -I{} cat /pr{}/1/fd/3',
  'ls oc | xargs -I{} cat /pr{}/1/fd/3',
  'cat ../../pr$(ls oc)/1/fd/3',
  'while read -r f; do cat "$f"; done < <(cat list)',
  'cat <(cat list) | xargs cat',
  "ls -l --time-style='+/p' | xargs cat",
  'du -a --time --time-style=+x . | cut -f2 | xargs cat',
  'tree -H /pr | xargs cat',
  'rg --files --path-separator=x | xargs cat',
  'rg -oL . list | xargs cat',
  'grep -e -l list | xargs cat',
  'grep -el list | xargs cat',
  'grep -o .* list | xargs cat',
  'wc --files0-from=list',
  'sort --files0-from=list',
  "xargs cat <<< '/pr'",
  // They print the texts of links.
  'find . -ls | xargs cat',
  'for f in $(find . -ls); do cat "$f"; done',
  'find src -name x -ls | xargs -n1 cat',
  'find . -fls /dev/stdout | xargs cat',
  'find . -name x -o -ls | xargs cat',
  "find . -printf '%l\\n' | xargs cat",
  'find . -fprintf /dev/stdout %l | xargs cat',
  'tree -fi | xargs cat',
  'tree -i src | xargs cat',
  'tree | xargs cat',
  'cat $(tree -fi)',
  'fd -l | xargs cat',
  'fd -Hl x | xargs cat',
  'fd --list-details | xargs cat',
  'fdfind -al . | xargs cat',
  'ls -l | xargs cat',
  'ls -al | xargs cat',
  'ls -g | xargs cat',
  'ls --format=long | xargs cat',
  'readlink a | xargs cat',
  'realpath a | xargs cat',
  'stat -c %N a | xargs cat',
  'file a | xargs cat',
  // The end of a name may be the name of another file: `a/proc/1/environ`.
  'find . | tail -c 16 | xargs cat',
  'find . | tail -c16 | xargs cat',
  'find . | tail -qc 16 | xargs cat',
  'ls -R | tail -16c | xargs cat',
  'git ls-files | head -c 16 | xargs cat',
];
const FOUND = [
  'find . -name "*.ts" | xargs cat',
  'find . -name "*.ts" -print0 | xargs -0 grep -n x',
  'git ls-files | xargs cat | wc -l',
  "git ls-files '*.ts' | xargs wc -l",
  'git diff --name-only | xargs wc -l',
  'grep -rl x src | xargs wc -l',
  'rg -l x | xargs head -n 3',
  'rg --files | sort | head -5 | xargs cat',
  'ls | grep -v test | xargs wc -l',
  'for f in $(ls); do wc -l "$f"; done',
  'for f in src/*; do cat "$f"; done',
  'git ls-files | while read -r f; do head -1 "$f"; done',
  'cat list',
  'du -a . | cut -f2 | xargs cat',
  'cat "./$(ls src)"',
  'diff <(sort a) <(sort b)',
  'cd "$(git rev-parse --show-toplevel)" && ls',
  'for d in */; do echo "$d: $(ls "$d" | wc -l)"; done',
  'xargs -n1 echo < list',
  'while read -r line; do echo "$line"; done < list',
  'echo "$(cat list)"',
  'cat list | sort | uniq -c',
  'x=src; cat $x/a.ts',
  'for i in 1 2; do cat src/a$i.ts; done',
  'for n in a b; do cat "src/${n}.ts" "src/${n}.test.ts"; done',
  'cat $HOME/.profile "$PWD/src/a.ts" $x/src/a.ts',
  'dir=src; for f in "$dir"/*.ts; do cat "$f"; done',
  'ls src | xargs -I% head -1 src/%',
  'cd "$(git rev-parse --show-toplevel)" && cat src/*.ts',
  'find src -maxdepth 2 -type f -not -name "*.md" -mtime -7 -size -10k | xargs wc -l',
  'find . -path ./node_modules -prune -o -name "*.ts" -print | xargs head -n 3',
  'find . \\( -iname "a*" -o -newer list \\) | tail -n 2 | xargs cat',
  'fd -e ts -H -d 2 | xargs cat',
  'fd -tf --hidden --exclude=node_modules x src | xargs wc -l',
];

describe('a name from a text', () => {
  it.each(LISTED)('asks without the view: %s', (command) => {
    expect(decision(command)).toBe('ask');
    expect(decision(command, { allow: ['Bash'] })).toBe('allow');
  });
  it.each(['xargs cat < list', 'cat $(cat list)', 'cat list | xargs cat'])(
    'does not ask with the view, or without such files: %s',
    (command) => {
      expect(decision(command, { view: true })).toBe('allow');
      expect(decision(command, { proc: false })).toBe('allow');
    },
  );
  it.each(FOUND)('is not one: %s', (command) => expect(decision(command)).toBe('allow'));

  const FOLDERS = ['a /proc/1/environ', "b'/x", 'c\\/x', 'src/d\n/x'].map((name) => `${ROOT}/${name}`);
  const SPLIT = [
    'find . | xargs cat',
    'find src . -type f | head | xargs cat',
    'rg --files | xargs cat',
    'git ls-files | xargs cat',
    'cat $(ls -R)',
    'for f in $(find .); do cat "$f"; done',
    'find . | while read -r f; do cat "$f"; done',
  ];
  it.each(SPLIT)('is one if the name of a listed folder is split: %s', (command) => {
    for (const folder of FOLDERS) expect(decision(command, { more: [folder] })).toBe('ask');
    expect(decision(command)).toBe('allow');
    expect(decision(command, { more: FOLDERS, view: true })).toBe('allow');
  });
  it('is not one if names end with a zero byte, or only a file has a blank in its name', () => {
    expect(decision('find . -print0 | xargs -0 cat', { more: FOLDERS })).toBe('allow');
    expect(decision('find . | xargs cat', { more: [`${ROOT}/src/a b.ts`] })).toBe('allow');
  });
});
