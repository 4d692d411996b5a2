/** Commands whose words are known to make no program run another one, and commands that look like them. */
import { commandLines } from './lines.ts';

/** Commands with known words that run only the program itself. */
export const RUNS_NOTHING = commandLines(String.raw`
tar tf a.tar
tar -tzvf a.tgz src
tar tf a.tar --wildcards '*.ts'
tar -tf "src/$x.tar"
f=a.tar; tar tf $f
for f in a.tar b.tar; do tar tf "$f"; done
for f in src/*.tar; do tar tf "$f"; done
nm -C a.o
nm -gU a.o
rg --hyperlink-format default x
git log --show-notes
nm -C src/*.o
for f in lib/*.a; do nm -g "$f"; done
objdump -d -M intel a.o
objdump -S a.o
rg x "src/$y"
rg -z x a
rg -n --sort path x src
sort --parallel=2 a
fd -e ts x
bat -r 1:20 a.ts
bat a.ts
zcat a.gz
zgrep x a.gz
xzcat "$f"
find . -name '*.o' -exec nm {} +
find . -name '*.gz' -exec file {} +
find "src/$x" -name y
find . -execdir wc -l {} +
sed -n '1,5p' "src/$x"
sed -n -e 1p -e 2p a
sed -E 's/a/b/' a b
awk -F, -v n="$n" '{print n, $1}' a
awk '{print > "/dev/stderr"}' a
awk '/system/ {print $1 > "/dev/stderr"}' a
awk '{print ($1 + $2) / 2 > "/dev/stderr"}' system.log
awk --re-interval '$1 > "a" { print $1 }' a
awk --csv -F, '{print > "/dev/stderr"}' a
ls | xargs wc -l
ls | xargs file
ls | xargs xzcat
openssl x509 -in a.pem -noout -text
openssl dgst -sha256 a
openssl version -a
npm ls --depth=0
npm ls lodash
npm list -g --depth 0
npm root -g
npm explain lodash
npm config get registry
npm pkg get version
pip list --format json
pip show requests
pip freeze
gem list --local
dpkg -l
dpkg -L bash
dpkg -S /bin/ls
dpkg-query -W
rpm -qa
rpm -qi bash
rpm -ql bash
apt-cache policy bash
apt-cache show bash
man ls
man 3 printf
man -k foo
less a.txt
less -N a.txt
ip addr
ip -br addr show
ip route show
ip link show dev eth0
ip route get 1.1.1.1
jq . "$f"
git describe --dirty
git show-branch
git worktree list
git stash show -p
unzip -l "$f"
xmllint --format a.xml
shellcheck a.sh
7z l a.7z
ar t a.a
jar tf a.jar
jar -tf a.jar
ag -l x
yq .a b.yml
yq eval '.a' b.yml
getconf ARG_MAX
getent passwd root
find src/@x -exec nm {} +
for i in 1 2; do nm $i; done
getconf -a
hostname -I
crontab -l
journalctl -n 5
journalctl -u ssh --since today
gzip -l a.gz
gzip -dc a.gz
xz -l a.xz
echo 1+1 | bc -l
diff -l a b
diff $a $b
colordiff -u a b
tree "$d"
tokei
scc .
lsd -la
gcc -v
gcc -dumpversion
size a.o
readelf -a "$f"
`);

/** A value looks like a command that lists, an option opens an editor, or git runs in a folder that `find` finds. */
export const LISTS_NOTHING = commandLines(String.raw`
npm --prefix ls test
npm -C ls test
npm --depth ls test
npm -g --prefix ls test
pip --proxy list install .
pip --cert list install x
pip3 --proxy list install .
gem --config-file list install x
gem --config-file list x
cargo --config list build
go -C list build
pnpm --dir ls test
pnpm -C ls test
yarn --cwd list test
bundle --gemfile list exec x
composer -d show install
composer --working-dir show install
apt-cache -t show x
find . -name bare -exec git -C {} status +
find . -execdir git log +
find bare -name config -execdir git status {} +
find . -execdir timeout 5 git log +
git config -e get
`);
