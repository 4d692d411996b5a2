/** Commands that may run code of the project, or another program that their words name. */
import { commandLines } from './lines.ts';

/** A word is unknown, an option is not known to run nothing, or the program itself may run code of the project. */
export const MAY_RUN = commandLines(String.raw`
o=-exec; find . $o ./x ';'
find . "$o" ./x ';'
find $(cat f)
find . -name x $(cat f)
getent -s /x passwd root
getent -s passwd:/x passwd root
getent --service=/x passwd
echo a | xargs getent passwd
find @x -exec nm {} +
find {@x,} -exec nm {} +
find +!y -exec less {} +
find h: -exec tar tf {} +
find -H @x -exec nm {} +
find . -exec mlr -n put {} +
find . -exec dc -e {} +
find . -exec rpm -q {} +
find . -exec man {} +
find . -exec xargs nm +
mlr -n put 'end { print system # x⏎("./x") }'
mlr -n put 'end { print exec#⏎("./x",[]) }'
openssl x509 -in "org$x"
rpm -q "a$x"
command printf "$x" y
builtin test "$a" "$b"
TAR_OPTIONS=-I./x tar tf a
exiftool --version
exiftool --help
pdftotext --version
identify --help
valgrind --version
npm_config_onload_script=./x npm ls
xargs nm < f
echo x | xargs xargs nm
nm "a$x" "$y"
nm -- $x
f=a; nm $f$g
for f in {--plugin,./x}; do nm $f; done
rg "$(git rev-parse -- --pre=./x)" a
find {.,-exec,./x,;}
find . -okdir ./x ';'
find . -execdir ./x ';'
find -files0-from f -exec nm {} +
find . -execdir nm {} +
find . -exec nm + @o {} ';'
find . -exec sed {} f +
find s -type f -exec sed {} f +
find . -exec awk {} f +
find . -exec awk -f {} +
find . -exec tar tf a.tar -I {} +
find . -exec rg --pre {} x +
find . -exec nm --plugin {} o.o +
find . -exec bat --pager={} a +
find . -exec less +!{} +
find * -name x
echo a | xargs nm
echo a | xargs objdump -d
echo a | xargs rg x
echo a | xargs sort
echo a | xargs tar tf
echo a | xargs bat
echo a | xargs ag x
echo a | xargs find .
echo a | xargs find
echo a | xargs fd x
echo a | xargs sed -n p
echo a | xargs sed
echo a | xargs awk
echo a | xargs awk -F,
echo a | xargs less
echo a | xargs man
echo a | xargs openssl dgst
echo a | xargs npm ls
echo a | xargs npm --version
echo a | xargs pip list
echo a | xargs gem list
echo a | xargs zcat
echo a | xargs zgrep x
echo a | xargs mlr -n put 'end {}'
echo a | xargs dc -e 1
echo a | xargs ip
echo a | xargs node -v
echo a | xargs gcc -v
echo a | xargs timeout 5 nm
ls | xargs nice rg x
rg $x src
rg "$x" src
rg -- "$x" src
rg x *
rg x {a,--pre=./x}
rg x ?-pre=./x
rg x [-]-pre=./x
rg $'\x2d-pre=./x' a
rg --pre-glob '*' --pre ./x a
rg --p=./x a
rg --hostname-b ./x --hyperlink-format=x a
rg --engine=x -Z a --no-such
sort $x
sort --compress-prog=./x a
sort --comp ./x a
sort -S1 --compress-program ./x a
sort *
sort -T . -S 1 --c=./x a
tar tf a.tar $x
tar $x
tar "$x" a.tar
tar tIf ./x a.tar
tar tfI a.tar ./x
tar -tf a.tar -I./x
tar -tf a.tar --use=./x
tar -t --use-comp ./x -f a
tar -tf -oProxyCommand=./x:a
tar tf h:a
tar tf a -T f
tar tf a --files-from=f
tar tf a --checkpoint=1 --checkpoint-action=exec=./x
tar tf a --checkpoint-act=exec=./x
tar -tf a --rsh-command=./x
tar -tf a --info-script=./x
tar -tf a -F ./x
tar -tMf a -F./x
tar -tf a --new-volume-script ./x
nm -C --plug ./x o
nm --plugin=./x o
nm -U --plugin=./x o
rg --hyperlink-format -- --pre=./x a
nm $x
nm "$@"
nm o.o @f
nm "$x@y"
objdump -d --plugin ./x a
objdump -d @a
size --plugin ./x a
size *.o
ar t a.a @x
ar t "$x"
ar --plugin ./x t a
ar t a.a --plugin=./x
jar tf a.jar -J-javaagent:x
jar tf @x
jar tf "$x"
cpio -t --rsh-c=./x -F h:a
cpio -tF h:a
cpio -t $x
bat --pager=./x a
bat --pag ./x a
bat $x
bat cache --build --source .
ag --pager ./x y
ag --pager=./x y
ag x $y
ack x
ack --pager=./x y
ack --ackrc=./x y
cloc .
cloc --config=x
ldd ./x
zcat --gz=./x a
zgrep --gz ./x y a
zgrep "-ex'" "-e;./x;#" a
xzgrep "--regexp=x'" "-e;./x;#" a
zcat $x
zcat *
yq -i . a
yq --enable-system-operator . a
yq "$x" a
fd -x ./x
fd --exec ./x
fd x -X./x
fd $x
fd -HX ./x
sed "$x" a
sed -e "$x" a
sed -e"$x" a
sed -n s/*/b/* f
sed p $x
sed p "$x"
sed p *
sed --e='1e ./x' a
sed -n '1e ./x' a
sed --fi=x a
sed -nf x a
sed -ne p -fx a
awk "$x"
awk $x '{print}' a
awk -v $x '{print}' a
awk -e 'BEGIN{system("./x")}'
awk --source='BEGIN{system("./x")}'
awk -E x
awk --exec x
awk -i x '{print}'
awk -D '{print}' a
ls | xargs awk '{print > "/dev/stderr"}'
awk '/x@y/ { print $1 }' *
awk '/x@y/ { print $1 }' {a,-fx}
awk '/x@y/' a -f x
awk --sandbo -f x a
awk --posix -f x a
awk --csv --load=x 1
awk --debug=x '{print}' a
awk -o '{print}'
gawk -l x 1
gawk -lx 1
gawk -vx=1 -f y
gawk --lint -f y
awk * a
awk {-f,x} a
mawk -W exec x
awk '{$0system("./x")}' a
awk 'BEGIN{print 1system("./x")}'
awk '$1system("./x")' a
awk 'BEGIN{print 1e3system("./x")}'
nawk '{$0system("./x")}' a
/usr/bin/awk '{$0system("./x")}' a
find . -name a -exec awk '{$0system("./x")}' {} +
timeout 5 awk '{$0system("./x")}' a
awk '{system}' a
awk system a
awk '{$0="./x"; system}' a
awk '{1print $0 | "./x"}' a
awk 'BEGIN{print $/#/ | "./x"}'
mlr -n put 'end{1exec("./x",[])}'
dc x
dc -f x
dc -e '[./x]!'
dc -e "$x"
mlr --icsv put -f x a
mlr -s x
mlr tee -p ./x a
mlr --icsv --prepipe ./x cat a
mlr --icsv --prepi ./x cat a
mlr cat "$x"
sqlite3 x.db .tables
sqlite3 x.db 'select * from v'
sqlite3 -init x x.db .tables
sqlite3 x.db "$x"
less -k x a
less -~klk a
less -5klk a
less '-"aklk' a
less --lesskey-src=x a
less --lesskey-co=x a
less "$x"
less +!./x a
less '++!./x' a
less -p x a
less -Nkx a
less -P x a
less -t x
less *
more +!./x a
more $x
man -l x
man -C x ls
man -H./x ls
man -P ./x ls
man --pager=./x ls
man --pag ./x ls
man ./x.1
man x/y.1
man -M . ls
man -E x ls
man -p x ls
man -T x ls
man $x
man -R x ls
rpm -q --specfile a
rpm -q --macros=x a
rpm -q --rcfile x
rpm -qE '%(./x)'
rpm -q --eval '%(./x)'
rpm -q --pipe ./x a
rpm -q '%(./x)'
rpm -qf 'x%{lua:os.execute("id")}'
rpm -qa 'x%{load:./m}'
rpm -qf 'x%[1]'
rpm -q --whatprovides='x%{lua:1}'
xmllint -shell a.xml
rpm -qa --define 'a b'
rpm -q --load x
rpm -q $x
rpm -qp --nosignature a
rpm -qp a.rpm
rpm -qip ./a.rpm
rpm -qlp a.rpm
rpm -q --package a.rpm
rpm -qa -p a.rpm
gem list --config-file x
gem list -C x
gem contents $x
openssl dgst -engine ./x a
openssl dgst --engine ./x a
openssl dgst -provider ./x a
openssl x509 -config x -in a
openssl x509 -in org.openssl.engine:x:y
openssl req -in a -section x -config y
openssl verify "$x"
openssl dgst -engine_impl -sha256 a
openssl list -provider-path . -provider x
openssl $x
npm ls --prefix x
npm ls -C x
npm ls --userconfig x
npm ls --script-shell ./x
npm help ls
npm ls $x
npm config get x --globalconfig y
pip list --python ./x
pip list --py ./x
pip list --config-settings x
pip --config x list
pip --log x list
pip3 list $x
pnpm ls
yarn list
bundle show
composer show
cargo metadata
cargo tree
go env
go list
make -n
python3 -m pip list
rustc --print sysroot
apt-cache -o A::B=./x show y
apt-cache show -oA=./x y
apt-cache -c x show y
apt-cache show $x
dpkg -l --pre-invoke=./x
dpkg -l --status-logger ./x
dpkg -l $x
ip netns exec a ./x
ip netn exec a ./x
ip vrf exec default ./x
ip -b x
ip -batch x
ip -n x link
ip -all netns exec ./x
ip $x
gcc -v -wrapper ./x
gcc -v"$x"
node -v"$x"
getconf -v ../../x PATH
nice nm $x
timeout 5 nm $x
command nm $x
stdbuf -oL nm "$x"
/usr/bin/nm $x
/bin/tar tf "$x"
for f in *; do nm "$f"; done
for f in *.o; do nm $f; done
for f in $(cat l); do nm "$f"; done
for f in a -Ix; do tar tf $f; done
for f in a --plugin=./x; do nm $f; done
f=--plugin=./x; nm $f
f=--plugin=./x; nm "$f" o
f='a --plugin=./x'; nm $f
f=@x; nm $f
f=+!./x; less $f
f=-; nm $f-plugin=./x
f=; nm $f--plugin=./x
read f < x; nm "$f"
while IFS= read -r f; do rg x "$f"; done < l
f=$(cat l); tar tf "$f"
tar tf "§{f:-a}"
tar tf "§{f}"
nm "$1"
nm "§{a[@]}"
nm <(cat f) $x
nm §{x+a}
`);

export const GIT_MAY_RUN = commandLines(String.raw`
echo a | xargs git log
rg x $(git ls-files)
git grep -O./x a
git grep --open=./x a
git grep $x
git log $x
git log --ext-diff
git log --ex
git -c x.y=z log
git -c core.fsmonitor=./x status
git --exec-path=. status
git -p log
git --paginate log
git help -w log
git log --help
git rev-parse --parseopt
git cat-file --textconv a
git cat-file --filters a
git log --some
git log -p --submodule=diff
git difftool
git var -l --x
git stash show --ext-diff
git submodule foreach ./x
git submodule status --foo
git bisect run ./x
git tag -v x
git tag -l -v x
git show --show-signature
git for-each-ref --format='%(signature)'
git for-each-ref --shell
git branch --edit-description
git config --list --edit
git config -e --list
`);
