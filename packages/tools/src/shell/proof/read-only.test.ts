import { describe, expect, it } from 'vitest';
import type { GitFacts } from '../git-facts.ts';
import { isReadOnlyCommand } from './read-only.ts';

const CLEAN: GitFacts = { helpers: [], submodules: false };

const PROVEN = `
ls
ls -la --color=never src
/bin/ls
/usr/bin/cat a
'ls' "-l"
cat -n package.json | head -20
ls; # a remark
ls &&⏎pwd
cat < in.txt
head -c 100 a
tail -n +5 a
tail -20 a
grep -rn "foo bar" src --include='*.ts'
grep -R 'a\\|b' .
rg -n --type ts 'use[A-Z]' src
rg --files -g '!*.test.ts'
rg -e a -A 3 -C2 .
find . -name '*.ts' -type f
find . -name '*.ts' -not -path './node_modules/*' -print0
find src ! -name x -maxdepth 2 -mtime -3
find . \\( -name a -o -name b \\)
grep "a\\.b" a
node --version
python3 -V
wc -l a b
stat -c %s a
du -sh .
df -h
diff -u a b
diff -r --brief a b
which node
type ls
command -v node
echo hello
echo -e 'a\\tb'
printf '%s\\n' a b
pwd
cd src
cd src && ls
sleep 1
sleep 0.5; echo done
true
false || true
:
date
date +%Y-%m-%d
date -u
date -d yesterday +%F
env
printenv PATH
uname -a
whoami
id -u
sort -rn a | uniq -c | sort -k2 | head
sort -t, -k1 a
uniq -c
cut -d: -f1 /etc/passwd
tr a-z A-Z < a
comm -3 a b
basename a/b .ts
dirname a/b
realpath .
readlink -f a
seq 1 10
nl -ba a
sha256sum a
base64 -d a
file -b a
tree -L 2 -I node_modules
jq -r '.scripts | keys[]' package.json
sed -n '1,20p' a
sed -n 5p a b
sed -n '10,$p' a
test -f a && echo yes
[ -d src ] || echo no
ls > /dev/null
ls 2>/dev/null
ls >/dev/null 2>&1
ls &>/dev/null
ls |& head
cat <<< hello
ls # a remark
git --version
git rev-parse --show-toplevel
git rev-parse --abbrev-ref HEAD
git branch --show-current
git remote -v
git config --get user.name
git config --list
`;

const PROVEN_WITH_A_CLEAN_REPOSITORY = `
git log
git --no-pager log --oneline -5
git log --oneline --graph --all -n 20 | head
git log --since=yesterday --format='%h %s' -- src
git log -p -S foo
git log -L1,5:a.ts
git show HEAD
git show 'HEAD~1:src/a.ts'
git diff
git diff --stat --cached main..HEAD
git status
git status -sb
git status --porcelain -uno
git blame -L 1,10 a
git ls-files -m
git ls-tree -r HEAD
git cat-file -p HEAD
git rev-parse HEAD main
git branch
git branch -a
git branch -vv
git branch --list 'a*'
git branch --merged main
git tag
git tag -l 'v*'
git tag -n
git stash list
git stash show -p
git reflog
git reflog show main
git worktree list
git remote get-url origin
git describe --tags --always
git grep -n foo
git for-each-ref --sort=-committerdate --format='%(refname)'
git shortlog -sn
git merge-base main HEAD
git rev-list --count HEAD
`;

const NOT_PROVEN = `
foo
./ls
src/ls
~/bin/ls
rm a
ls; rm a
ls && rm a
ls || rm a
ls | rm a
ls & rm a
ls &
rm a | ls
(ls)
{ ls; }
! ls
time ls
if true; then ls; fi
for a in b; do ls; done
while true; do ls; done
case a in a) ls;; esac
f() { ls; }
ls() { rm a; }; ls
coproc ls
[[ -f a ]]
(( a = 1 ))
A=1 ls
PATH=. ls
A=1
export A=1
exec ls
eval ls
source a
. a
bash -c ls
sh a
command ls
builtin ls
nohup ls
timeout 5 ls
xargs ls
env ls
env A=1 ls
env -i
sudo ls
alias ls=rm
set -e
trap ls EXIT
ls > a
ls >> a
ls >| a
ls 2> a
ls &> a
ls >& a
ls <> a
ls > /dev/stderr
ls > /dev/tcp/example.com/80
<&-touch ls
0<& -touch ls
find . \\( -name a -delete \\)
echo HEAD~1
echo "a\\\\b"
python3 -v
node -v a.js
cat < /dev/tcp/example.com/80
{fd}> a ls
ls >&-
ls > $x
echo $HOME
echo "$HOME"
echo \${a:=b}
echo $(pwd)
echo "$(pwd)"
echo \`pwd\`
echo $((1 + 1))
echo $[1]
cat <(ls)
ls >(cat)
cat <<< $a
cat <<E⏎$(pwd)⏎E
echo ~
echo HEAD~1
echo a^b
echo {a,b}
echo *
ls *.ts
ls src/*.ts
l* -l
ls(
echo( ls
echo (
grep a --include=*.ts
echo a\\ b
echo "a\\"b"
echo $'a'
echo $"a"
find . -delete
find . -name a -exec rm {} +
find . -exec rm '{}' ';'
find . -execdir rm '{}' ';'
find . -ok rm '{}' ';'
find . -okdir rm '{}' ';'
find . -fprint a
find . -fprint0 a
find . -fprintf a b
find . -fls a
find . -files0-from a
find . -D exec
find . "-delete"
find . '-del'ete
rg --pre cat a
rg --pre=cat a
rg -z a
rg -iz a
rg --search-zip a
rg --hostname-bin=x a
rg --hyperlink-format=default a
rg --unknown a
rg -e -- --pre=x a
grep --unknown a
sort -o a b
sort -ro a b
sort -oa b
sort --output=a b
sort --outp=a b
sort -T . a
sort --compress-program=x a
sort --files0-from=a
uniq a b
uniq -c a b
xxd a b
xxd -r a
diff -l a b
diff --paginate a b
tail -f a
tail -F a
tail --follow a
date -s now
date 01010000
date -us now
date --set=now
date -f a
printf -v PATH x
tree -o a
tree -R a
file -C -m a
file -z a
base64 -o a
base64 --output a
hostname evil
sed -n 1p
sed 1p a
sed -i 1p a
sed -n '1p;w b' a
sed -n -e 1p a
sed -n '1e ls' a
sed -n 1p -i a
test -v 'a[$(id)]'
[ -v 'a[$(id)]' ]
command -p ls
jq -f a
less a
awk 1 a
tee a
touch a
mkdir a
cp a b
mv a b
kill 1
npm --version
node -e 1
python3 -c 1
curl example.com
ls⏎rm a
`;

const GIT_NEVER = `
git
git foo
git -C evil log
git -c diff.external=x diff
git -c alias.log=x log
git --git-dir=evil log
git --work-tree=evil status
git --exec-path=evil log
git --paginate log
git --config-env=a=b log
git log --output=a
git log --outp=a
git log --ext-diff
git log --show-signature
git log --format=%G?
git log --pretty='%h %GS'
git for-each-ref --format='%(signature)'
git diff --output a
git diff --ext-diff
git diff --textconv
git grep -O foo
git grep -Oless foo
git grep --open-files-in-pager foo
git branch foo
git branch -d foo
git branch -D foo
git branch -m foo
git branch -a foo
git branch -u origin/main
git branch --edit-description
git branch --set-upstream-to=a
git tag v1
git tag -d v1
git tag -a v1
git tag -f v1
git stash
git stash pop
git stash drop
git reflog expire
git reflog delete
git worktree add a
git worktree prune
git remote add a b
git remote show origin
git remote update
git config user.name x
git config --unset a
git config --get a --add
git config --edit
git fetch
git pull
git push
git commit -m a
git checkout a
git reset
git clean -f
git add a
git describe --dirty
git cat-file --textconv a
git cat-file --batch
git archive HEAD
git bundle create a
git submodule status
git difftool
git bisect log
git apply a
git gc
git log > a
git log -- "$(rm a)"
cd evil && git log
git log | tee a
`;

function lines(table: string): string[] {
  return table
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('⏎', '\n'));
}

describe('the proof that a command changes nothing', () => {
  it.each(lines(PROVEN))('holds for %j', (command) => {
    expect(isReadOnlyCommand(command)).toBe(true);
  });

  it.each(lines(PROVEN_WITH_A_CLEAN_REPOSITORY))(
    'holds for %j only where no helper is configured',
    (command) => {
      expect(isReadOnlyCommand(command, { git: CLEAN })).toBe(true);
      expect(isReadOnlyCommand(command)).toBe(false);
      expect(isReadOnlyCommand(command, { git: { ...CLEAN, helpers: ['diff.external'] } })).toBe(false);
      expect(isReadOnlyCommand(command, { git: { ...CLEAN, submodules: true } })).toBe(false);
    },
  );

  it.each(lines(NOT_PROVEN))('is not given for %j', (command) => {
    expect(isReadOnlyCommand(command, { git: CLEAN })).toBe(false);
  });

  it.each(lines(GIT_NEVER))('is never given for %j', (command) => {
    expect(isReadOnlyCommand(command, { git: CLEAN })).toBe(false);
  });

  it('is not given for nothing', () => {
    for (const command of ['', ' ', '\n', '# rm']) expect(isReadOnlyCommand(command)).toBe(false);
  });

  it('minds the configuration that the environment gives to a program', () => {
    const environment = { RIPGREP_CONFIG_PATH: '/evil' };
    expect(isReadOnlyCommand('rg a', { environment })).toBe(false);
    expect(isReadOnlyCommand('rg --no-config a', { environment })).toBe(true);
    expect(isReadOnlyCommand('rg a', { environment: {} })).toBe(true);
  });
});
