/** Commands that are proven to change nothing. */
import { lines } from './lines.ts';

export const PROVEN: readonly string[] = lines(`
cat ~/a*
echo $HOME "$HOME" ~ HEAD~1 a^b a\\ b "a\\"b" $'a'
ls $x* "$x"/* {1..3}
tail -f a
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
uniq -f 1 a
uniq -c -s 3 -w 2 a
sort a | uniq -f 1 -c
xxd -c 8 a
xxd -l 16 -s 4 a
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
jq '.include, .["import"]' include/a.json
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
echo *
ls *.ts
ls -d */
ls src/*.ts
ls [a-z]*.ts
wc -l src/* | tail -1
cat docs/*.md
cat src/{a,b}.ts
ls {src,test}/*.ts
echo {a,b}
du -sh *
sha256sum *
grep foo *.md
grep -l foo src/*.ts
grep a --include=*.ts
rg foo src/*.ts
rg -g*.ts foo
rg foo {src,test}
sort src/*.txt
file ./*
jq . conf/*.json
diff a/* b
find src/* -name x
sed -n 1,5p src/*.ts
printf '%s\\n' *.ts
sed -n 1p
sed 1p a
sed -n -e 1p a
sed 's/a/b/g' a | head
sed -E 's/[0-9]+/N/' a
sed -n '/foo/,/bar/p' a
sed -n '/where/p' a
sed -ne '5p;10p' a
sed 1d a
sed -e s/a/b/ -e 2q a
awk 1 a
awk '{print $1}' a
awk -F: '{print $1, $NF}' a b
awk -F '\\t' -v n=3 'NR==n' a
awk 'NR>=10 && NR<=20' src/a.ts
awk '{s+=$1} END {print s}'
ls -l | awk '{print $5}'
awk '$3 == "x" || /foo/' a
find . -name '*.ts' | xargs wc -l
find . -print0 | xargs -0 grep -l foo
ls | xargs -n1 basename
ls | xargs -I{} head -1 {}
xargs ls
find . -name '*.ts' -exec wc -l {} +
find . -type f -exec grep -l foo {} \\;
find . -exec cat '{}' ';' -print
fd foo
fd -e ts -t f foo src
fdfind -H foo
hexdump -C a | head
strings a
column -t a
iconv -f latin1 -t utf8 a
lsof -n -i :3000
lsof -nP
lsof -np 1
docker --version
findmnt
yq .import a.yml
yq -P '.a | select(.include == 1)' a.yml
findmnt -l /
findmnt -T ./a=b
zgrep -iE "a|b" a.gz
zgrep -in -m 3 --context=2 x a.gz
zgrep -im 3 x a.gz
zgrep -ie "a b" a.gz
xzgrep -A 2 -B2 x a.xz
bzgrep x a.bz2
bzgrep -in "a b" a.bz2
bzgrep -A 3 -m1 -5 x a.bz2
bzgrep --count --max-count=3 x -v a.bz2
bzgrep -c -e "a b" a.bz2 b.bz2
bzgrep -v -- x a.bz2
lsof -nP -iTCP -sTCP:LISTEN
ss -tlnp
netstat -tlnp
pgrep -f vite
lscpu
whereis node
make --version
bash --version
git --version
git config get user.name
git config list
git rev-parse --show-toplevel
git rev-parse --abbrev-ref HEAD
git branch --show-current
git remote -v
git config --get user.name
git config --list
git config --global --list --show-origin
git config --get-regexp '^remote'
git config --local user.name
git -C anywhere rev-parse --show-toplevel
printf '%s %d%%' a 1
sed -n '/[[:space:]]x[^a-z]/p' a
sed 's/[^[:alnum:]_-]/x/g; s|[a/b]|y|' a
ss -tlnp state listening
ss -tn sport = :443
ls | xargs -I{} cat {}
`);

export const PROVEN_WITH_A_CLEAN_REPOSITORY: readonly string[] = lines(`
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
git reflog -5
git check-ignore -v node_modules
git cherry -v main
git symbolic-ref --short HEAD
git diff-tree --no-commit-id --name-only -r HEAD
git diff-index --name-only HEAD
git diff --no-index a b
git diff src/*.ts
git log --oneline -- src/*
git grep foo src/*.ts
git ls-files docs/*.md
git branch --list feature/*
git show stash@{0}
git var GIT_EDITOR
git var GIT_SEQUENCE_EDITOR
git var GIT_PAGER
git var GIT_DEFAULT_BRANCH
git var GIT_CONFIG_GLOBAL
git -c color.ui=never log
git -c core.quotepath=off -c core.pager=cat status
git -c log.showSignature=false show
git -P log -3
git --no-replace-objects --icase-pathspecs ls-files
git log --cc --color-moved=zebra
git log --glob='refs/heads/*' --no-graph
git branch --sort -committerdate --format '%(refname)'
git branch --contains HEAD -a
git branch --list --merged main 'x*'
git tag -ln3 'v*'
git tag --points-at HEAD
git notes list
git check-attr -a a
git rev-parse --is-inside-git-dir HEAD main
`);

/** Commands that show no difference line by line. */
export const PROVEN_WITH_A_DRIVER: readonly string[] = lines(`
git log
git log --oneline -5
git log --stat --name-only --follow -- a
git log --since=yesterday --author=x --format='%h %s'
git rev-list --count HEAD
git branch -a
git tag
git ls-files
git ls-tree -r HEAD
git rev-parse HEAD main
git stash list
git reflog
git shortlog -sn
git cat-file -p HEAD
`);
