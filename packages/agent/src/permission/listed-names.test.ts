/** Without the read-only view, a name from a text may be that of a file that shows another process. */
import { describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { CLEAN_GIT, ROOT, worldOf } from './test/world.ts';

function decision(command: string, { view = false, proc = true, allow = [] as string[] } = {}): string {
  const files = [`${ROOT}/list`, `${ROOT}/src/a.ts`, ...(proc ? ['/proc'] : [])];
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
});
