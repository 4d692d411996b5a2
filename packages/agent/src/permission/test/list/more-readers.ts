/** More commands that only read: of the system, of archives, behind prefixes, in loops and conditions. */
import { commandLines } from './lines.ts';

export const MORE_READERS: Readonly<Record<string, readonly string[]>> = {
  system: commandLines(String.raw`
whoami
id
groups
hostname
uname -a
uname -sr
uptime
date
date +%Y-%m-%d
date -u +"%Y-%m-%dT%H:%M:%SZ"
date -d '2 days ago' +%F
date -d @1700000000
date -r package.json
cal
nproc
free -m
free -h
lscpu | head -20
lsblk
ps aux
ps -ef | grep node
ps aux | grep -v grep | grep server
ps -p 1234 -o pid,cmd
ps aux --sort=-%mem | head
pgrep -fl node
pgrep node
pidof nginx
lsof -i :3000
lsof -p 1234
ss -tlnp
netstat -tlnp
env
env | sort
env | grep -i node
printenv PATH
printenv
locale
locale -a | head
getconf _NPROCESSORS_ONLN
getconf PAGE_SIZE
ulimit -a
ulimit -n
umask
who
users
tty
arch
ip addr
ip -br a
ip route show
findmnt
cat /proc/cpuinfo | grep 'model name' | head -1
cat /proc/meminfo | head -3
cat /proc/version
ls /proc/self/fd
sleep 1 && echo done
sleep 2; ls
true
false || true
`),
  versions: commandLines(String.raw`
node --version
node -v
python --version
python3 -V
bash --version
gcc --version | head -1
g++ --version
clang --version
make --version
cmake --version
docker --version
jq --version
rg --version
curl --version
wget --version
tar --version
sed --version | head -1
awk --version
gawk --version
openssl version
ssh -V
perl -v
tmux -V
vim --version | head -1
sqlite3 --version
psql --version
deno --version
gh --version
kubectl --help
grep --help
ls --help
find --help
tar --help | grep -i list
curl --help
node --help
docker --help
make --help
bash --help
npm --version
cargo --version
go version
rustc --version
pip --version
java -version
ruby --version
terraform --version
`),
  archives: commandLines(String.raw`
tar tf a.tar
tar -tf a.tar
tar tzf a.tgz | head
tar -tvzf a.tar.gz
tar -tjf a.tar.bz2
tar --list --file=a.tar
tar tf a.tar | grep package.json
tar -ztvf release.tgz | wc -l
unzip -l a.zip
unzip -v a.zip | tail -1
unzip -Z1 a.zip
zipinfo a.zip
zipinfo -1 a.zip | head
zcat a.gz | head -20
zcat log.1.gz log.2.gz | grep ERROR | wc -l
zgrep -i error log.gz
zgrep -c foo logs/*.gz
bzcat a.bz2 | head
xzcat a.xz | wc -l
nm bin/tool | grep main
nm -D lib.so
nm -gC lib.a | head
objdump -d bin/tool | head -50
objdump -t a.o
objdump -h a.o
readelf -h bin/tool
readelf -d lib.so | grep NEEDED
readelf -S a.o
size bin/tool
strings -n 8 bin/tool | head
bat --paging=never src/a.ts
bat -pp src/a.ts
eza -la
exa --tree --level=2
docker ps
docker ps -a --format '{{.Names}}'
docker images
docker images -q
docker container ls
docker version
npm ls
npm ls --depth=0
npm list -g --depth 0
npm root -g
npm explain lodash
npm outdated --json
pip list
pip show requests
pip freeze
cargo tree
cargo metadata --no-deps
go list ./...
go env GOPATH
`),
  prefixes: commandLines(String.raw`
LC_ALL=C ls
LC_ALL=C sort a.txt | uniq -c
LANG=C grep -n foo a
TZ=UTC date
TZ=America/New_York date
NO_COLOR=1 ls
TERM=dumb ls --color
FORCE_COLOR=0 rg foo
CI=1 ls
LC_ALL=en_US.UTF-8 sort names.txt
COLUMNS=200 ps aux
set -e; ls
set -euo pipefail; cat a | head
set -euo pipefail⏎ls -la⏎cat package.json
set -x; ls src
export LC_ALL=C; sort a
export NO_COLOR=1 && rg foo src
time ls -R src | wc -l
time git status
timeout 10 ls
timeout 5s cat a.txt
timeout 30 grep -rn foo .
nice ls
command ls -la
stdbuf -oL tail -n 5 a | grep x
! grep -q foo a.txt
cd src && ls
cd src && ls -la && cd ..
cd /repo/project/src; pwd; ls
cd "$(git rev-parse --show-toplevel)" && ls
cd packages && for d in */; do echo "$d"; done
(cd src && ls)
pushd src > /dev/null; ls; popd > /dev/null
ls; pwd; whoami
ls && pwd || echo failed
ls 2>&1 | head
ls > /dev/null 2>&1
ls &> /dev/null && echo ok
ls -la >/dev/null; echo $?
cat a 2>/dev/null
{ ls; pwd; } | cat
(ls; pwd) 2>&1 | tail -1
ls # list files
# show files⏎ls -la
ls \⏎  -la \⏎  src
`),
  loops: commandLines(String.raw`
for f in *.ts; do echo "$f"; done
for f in a b c; do cat "$f"; done
for f in src/*.ts; do wc -l "$f"; done
for f in $(ls src); do echo $f; done
for i in 1 2 3; do echo $i; done
for i in {1..5}; do echo "line $i"; done
for i in $(seq 1 3); do echo $i; sleep 1; done
for d in */; do echo "$d: $(ls "$d" | wc -l)"; done
for f in *.json; do echo "== $f"; jq .name "./$f"; done
for f in *.md; do head -1 "$f"; done | sort
for f in $(git diff --name-only); do wc -l "$f"; done
for ((i=0; i<3; i++)); do echo $i; done
i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done
while read -r line; do echo "$line"; done < a.txt
while IFS= read -r line; do echo ">> $line"; done < a.txt
while IFS=, read -r a b; do echo "$a"; done < data.csv
cat a.txt | while read -r f; do wc -l "$f"; done
ls | while read f; do echo "$f"; done
git ls-files | while read -r f; do head -1 "$f"; done
find . -name '*.ts' | while read -r f; do grep -c import "$f"; done
find . -name '*.ts' -print0 | while IFS= read -r -d '' f; do wc -l "$f"; done
until [ -f done.txt ]; do sleep 1; done
if [ -f package.json ]; then cat package.json; fi
if [ -d src ]; then ls src; else echo "no src"; fi
if grep -q foo a.txt; then echo yes; else echo no; fi
if [ -z "$FOO" ]; then echo unset; fi
if [[ -f a && -r a ]]; then cat a; fi
if [[ "$x" == foo* ]]; then echo match; fi
if ! command -v jq > /dev/null; then echo "no jq"; fi
if [ "$(wc -l < a.txt)" -gt 10 ]; then head a.txt; fi
[ -f a ] && cat a
[ -d node_modules ] && echo installed || echo missing
[[ -f a ]] && echo yes
[[ $x == y ]] && echo yes || echo no
[[ -n "$CI" ]] && echo ci
test -f a && echo yes
test -d dist || echo "no dist"
[ "$a" = "$b" ] && echo same
[ -e a -a -e b ] && echo both
case "$x" in a) echo one;; b) echo two;; *) echo other;; esac
case $(uname) in Linux) echo linux;; Darwin) echo mac;; esac
x=1; echo $x
f=package.json; cat "$f"
n=$(wc -l < a.txt); echo "n=$n"
dir=src; ls "$dir"
files=(a b c); echo "§{files[0]}"
files=(*.ts); echo "§{#files[@]}"
a=1 b=2; echo "$a $b"
name=$(basename "$PWD"); echo "$name"
echo $((1 + 2))
echo $(( 10 * 3 / 2 ))
n=5; echo $((n * 2))
x=foo.ts; echo "§{x%.ts}.js"
x=/a/b/c; echo "§{x##*/}"
x=hello; echo "§{x^^} §{x:0:2} §{#x}"
x=a-b-c; echo "§{x//-/_}"
echo "§{x:-default}"
cat <<EOF⏎hello⏎EOF
cat <<'EOF'⏎$not expanded⏎EOF
cat <<EOF⏎user: $USER⏎date: $(date)⏎EOF
cat <<< "hello"
grep foo <<< "$x"
wc -l <<EOF⏎a⏎b⏎EOF
cat <(ls) <(pwd)
xargs -n1 echo < a.txt
ls | xargs -n 1 basename
ls *.ts | xargs -I{} wc -l {}
echo a b c | xargs -n1 echo item
git ls-files | xargs cat | wc -l
git diff --name-only | xargs -r ls -la
find . -name '*.log' | xargs tail -n 1
ls -1 | head -5 | xargs stat
seq 3 | xargs -I{} echo "n {}"
exit 0
true && ls || exit 1
`),
};
