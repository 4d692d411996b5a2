/** Single commands that only read, as people and agents type them, by class. */
import { commandLines } from './lines.ts';

export const READERS: Readonly<Record<string, readonly string[]>> = {
  files: commandLines(String.raw`
ls
ls -la
ls -lah src test
ls -1 | wc -l
ls -lt | head -20
ls *.ts
ls src/**/*.ts
ls -d */
ls ~
ls ~/projects
ls "$HOME"
ls "my folder"
ls my\ folder
ls src/{a,b}/index.ts
ls /etc/*.conf 2>/dev/null
ls -la | grep -v node_modules
pwd
pwd -P
cat package.json
cat src/index.ts src/main.ts
cat -n src/index.ts | sed -n '10,40p'
cat a.txt | head -50 | tail -10
cat README.md 2>/dev/null || echo "no README"
cat "file with spaces.txt"
cat file\ with\ spaces.txt
cat /etc/os-release
cat ~/.gitconfig
cat .github/workflows/*.yml
cat < input.txt
head -n 100 server.log
head -c 512 data.bin | xxd
tail -n 50 server.log
tail -f server.log
tail -F logs/app.log | grep ERROR
tail -n +2 data.csv | head
less -V >/dev/null; ls
wc -l src/*.ts
wc -l $(git ls-files)
wc -c dist/main.js
stat package.json
stat -c '%s %n' *.json
file bin/tool
file -b --mime-type a.png
du -sh .
du -sh * | sort -h
du -ah src | sort -rh | head -n 20
df -h
df -h . | tail -1
tree -L 2
tree -I 'node_modules|dist' -L 3
tree -a --dirsfirst
realpath src/../package.json
readlink -f bin/tool
basename "$PWD"
dirname src/a/b.ts
basename src/a/b.ts .ts
touch --version
md5sum a.bin
sha256sum dist/*.js
b2sum dist/main.js
cksum a b
cmp a b && echo same
diff a.txt b.txt
diff -u old.json new.json | head -100
diff -rq src dist
diff <(sort a) <(sort b)
diff <(git show HEAD:a.txt) a.txt
comm -12 <(sort a) <(sort b)
comm -23 a b
join -t, a.csv b.csv
paste -sd, names.txt
od -c a.bin | head
hexdump -C a.bin | head -5
xxd a.bin | head -3
strings bin/tool | grep -i version
nl -ba src/index.ts | sed -n '1,20p'
tac log.txt | head -n 5
rev names.txt
fold -w 80 -s README.md
fmt -w 72 notes.txt
expand -t 4 Makefile
column -t -s, data.csv
cut -d: -f1 /etc/passwd
cut -f1,3 table.tsv
tr 'a-z' 'A-Z' < names.txt
tr -d '\r' < a.txt | wc -l
sort names.txt | uniq -c | sort -rn
sort -t, -k2,2n data.csv
sort -u a b
uniq -d names.txt
shasum a.txt || sha1sum a.txt
seq 1 10
seq -w 1 5 | paste -sd' '
`),
  search: commandLines(String.raw`
grep -rn "TODO" src
grep -rn 'function \w*(' src --include='*.ts'
grep -i error logs/*.log | tail -20
grep -c '' package.json
grep -E "^(import|export)" src/index.ts
grep -oP '(?<=version": ")[^"]+' package.json
grep -rl "useState" src | xargs wc -l
grep -v '^#' .env.example
grep -A3 -B3 "class Foo" src/foo.ts
grep -n "foo$" a.txt
grep -n "a\"b" a.txt
grep -n 'it'"'"'s' README.md
grep -rn $'\t' src
grep -n "\$HOME" script.sh
grep -rnw . -e 'pattern'
grep -q "x" a.txt && echo found || echo "not found"
egrep 'a|b' c
fgrep 'a.b' c
rg "TODO|FIXME" src
rg -n --type ts "interface \w+" packages
rg --files | head
rg -l foo -g '!*.test.ts'
rg -c "import" src | sort -t: -k2 -rn | head
rg -i "some text" docs -A 2
rg 'foo\(' --glob '*.ts' -n
rg -uu secret-name --stats
rg --json foo | head -5
ag foo src
ag -l "bar" --ignore dist
find . -name '*.ts'
find . -type f -name "*.json" -not -path "*/node_modules/*"
find src -type f | wc -l
find . -maxdepth 2 -type d
find . -newer package.json -name '*.ts' | head
find . -size +1M -exec ls -lh {} \;
find . -name '*.py' -exec wc -l {} +
find . -type f -printf '%s %p\n' | sort -rn | head
find . \( -name a -o -name b \) -print
find . -empty -type d
find src -name "*.test.ts" -exec grep -l "skip" {} +
find . -mtime -1 -type f | grep -v .git
find . -type f -name '*.ts' | xargs grep -n foo
find . -name '*.md' -print0 | xargs -0 wc -w
find / -name libssl.so 2>/dev/null | head -1
fd -e ts
fd -t f test src
fdfind --hidden config
git grep -n "foo" -- '*.ts'
git grep -l TODO
git grep -c import HEAD -- src
which node npm python3
whereis gcc
type -a python
command -v jq
command -v docker >/dev/null && echo yes
`),
  git: commandLines(String.raw`
git status
git status -sb
git status --porcelain
git status --short --untracked-files=all
git log --oneline -20
git log -5
git log --graph --oneline --all -n 30
git log -p -1 -- src/index.ts
git log --since="2 weeks ago" --author="Ann" --oneline
git log --format='%h %an %s' -10
git log --pretty=format:"%h - %an, %ar : %s" -5
git log main..HEAD --oneline
git log --stat -3
git log -S"foo" --oneline
git log --follow -- a.ts
git log --oneline $(git merge-base main HEAD)..HEAD
git log --oneline $(git rev-parse HEAD) -3
git log --name-only -1
git log --oneline | wc -l
git log HEAD~5..HEAD
git log -1 --format=%H
git log --all --oneline --decorate | head -20
git diff
git diff --stat
git diff HEAD~1
git diff --cached
git diff --staged --stat
git diff main...HEAD --name-only
git diff HEAD -- src/a.ts
git diff $(git merge-base main HEAD) --stat
git diff --name-status HEAD~3 HEAD
git diff -U0 | grep '^+'
git diff --word-diff a.md
git diff a b
git show
git show HEAD
git show --stat HEAD~2
git show HEAD:package.json
git show HEAD^ --name-only
git show abc1234 -- src
git show HEAD~2:src/a.ts | head -50
git blame -L 10,20 src/a.ts
git blame a.ts | head
git branch
git branch -a
git branch -vv
git branch --show-current
git branch --list 'feature/*'
git branch --merged
git branch --contains HEAD
git tag
git tag -l 'v1.*'
git tag --list --sort=-creatordate
git remote -v
git remote get-url origin
git remote
git stash list
git stash show
git stash show -p
git rev-parse HEAD
git rev-parse --short HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git rev-parse --git-dir
git ls-files
git ls-files | wc -l
git ls-files --others --exclude-standard
git ls-files -m
git ls-files '*.ts' | xargs wc -l
git ls-tree -r HEAD --name-only
git ls-tree HEAD src/
git cat-file -p HEAD
git cat-file -t HEAD
git config --list
git config --get user.name
git config user.email
git describe --tags
git describe --tags --always
git shortlog -sn
git shortlog -sne HEAD
git reflog -10
git reflog
git worktree list
git merge-base main HEAD
git rev-list --count HEAD
git rev-list HEAD -- src | head -1
git for-each-ref --format='%(refname)' refs/heads
git show-ref --tags
git name-rev HEAD
git check-ignore -v dist
git count-objects -vH
git diff-tree --no-commit-id --name-only -r HEAD
git symbolic-ref HEAD
git --version
git --no-pager log -3
git --no-pager diff
git -c color.ui=false status
git -C . log -1
git -C packages/core log --oneline -3
git -C packages/core status
git -C /repo/project diff --stat
cd packages/core && git status
cd packages/core && git log --oneline -5
cd packages/core; git diff | head
cd /repo/project && git status --short
(cd packages/core && git log -1)
GIT_PAGER=cat git log -3
PAGER=cat git diff --stat
GIT_OPTIONAL_LOCKS=0 git status
LC_ALL=C git log -1
echo "branch: $(git branch --show-current)"
echo "$(git rev-parse --short HEAD) $(git log -1 --format=%s)"
branch=$(git rev-parse --abbrev-ref HEAD); echo "$branch"
git log --oneline | grep -i fix | head -5
git diff --name-only | grep '\.ts$'
git diff --quiet && echo clean || echo dirty
if git diff --quiet; then echo clean; fi
for b in $(git branch --list); do echo "$b"; done
git status && git diff --stat && git log -1
`),
  text: commandLines(String.raw`
echo hello
echo "hello world"
echo 'single $quoted'
echo $PATH
echo "$PATH" | tr ':' '\n'
echo "say \"hi\""
echo $'tab\there'
echo a\ b
echo "exit: $?"
echo -e "a\nb"
echo "$USER@$(hostname)"
echo "lines: $(wc -l < a.txt)"
echo "§{PWD##*/}"
echo "§{HOME:-none}"
printf '%s\n' a b c
printf "%-10s %s\n" name value
printf '%s\n' "$PATH"
printf '\n'
sed -n '1,50p' src/index.ts
sed -n '/start/,/end/p' a.txt
sed 's/foo/bar/g' a.txt | diff a.txt -
sed -e 's/a/b/' -e 's/c/d/' x.txt
sed '/^$/d' a.txt
sed -n '$p' a.txt
sed -n 42p src/a.ts
sed -E 's/([a-z]+)=.*/\1/' .env.example
cat a.txt | sed 's/^/  /'
awk '{print $1}' a.txt
awk -F, '{print $2}' data.csv
awk -F'\t' 'NR>1 {print $1, $3}' data.tsv
awk '$3 > 100 {print $1}' data.txt
awk 'length > 80' src/a.ts
awk 'NR==10,NR==20' a.txt
awk 'END {print NR}' a.txt
awk '{s+=$1} END {print s}' numbers.txt
awk '/error/ {n++} END {print n}' log.txt
awk -v n=5 'NR<=n' a.txt
awk '{ if ($2 > 50) print $1 }' a.txt
awk '!seen[$0]++' a.txt
awk 'BEGIN {FS=":"} {print $1}' /etc/passwd
awk '{print NR": "$0}' a.txt | head
awk 'NF' a.txt
awk '$1 == "foo" && $2 >= 3' a.txt
ps aux | awk '{print $2, $11}' | head
ls -l | awk '{sum += $5} END {print sum}'
jq . package.json
jq '.dependencies' package.json
jq -r '.scripts | keys[]' package.json
jq -r '.version' package.json
jq '.[] | select(.age > 30)' people.json
cat a.json | jq '.items[0].name'
jq -s 'length' a.json b.json
jq --arg n foo '.[$n]' a.json
jq -e '.ok' a.json > /dev/null
yq '.services' docker-compose.yml
yq -r '.name' a.yaml
yq eval '.jobs | keys' .github/workflows/ci.yml
base64 -d a.b64 | head -c 100
echo aGk= | base64 -d
cat a.txt | tr -s ' ' | cut -d' ' -f2 | sort | uniq -c
expr 1 + 2
iconv -f latin1 -t utf-8 a.txt | head
`),
};
