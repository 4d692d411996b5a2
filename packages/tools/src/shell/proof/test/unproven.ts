/** Similar commands that are not proven. */
import { lines } from './lines.ts';

export const NOT_PROVEN: readonly string[] = lines(`
tree -Po x out
tree -Lo 2 out
tree -Io x out
tree -PR x
gh --version
gh --help
nvim --version
valgrind --version
valgrind --help
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
python3 -v
node -v a.js
cat < /dev/tcp/example.com/80
{fd}> a ls
ls >&-
ls > $x
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
l* -l
ls(
echo( ls
echo (
echo $"a"
l*
ls *(.)
ls !(a)
ls @(a|b)
ls {a,$x}
ls {a,$(rm a)}
rg foo *
rg foo *.ts
rg -- *
rg foo -*
rg --pre=*
rg -n*
rg --glob*
rg foo {--pre=x,a}
rg --pre{=,=sh} foo
sort *
sort -*
sort -o*
sort {-o,a}
file *
tree *
jq . *.json
diff * a
uniq a*
uniq {a,b}
pidof --version
pidof -5 x
pidof -o a sh
pidof -S , sh
pidof $x
pidof *
xxd a*
find *
find * -name a
find . -{delete,print}
find . {-delete,x}
find . -name a -del*
find . -exec sh -c ls {} \\;
find . -exec rm {} +
find . -exec {} \\;
find . -exec ls
find . -execdir ls {} \\;
find . -exec rg x {} +
find . -exec ls {} \\; -delete
find . -exec ls {} + -exec rm {} +
sed -n 1p *
sed -n * a
sed 1p -*
sed -n 'w b' a
sed 's/a/b/w c' a
sed 's/a/b/e' a
sed '1r c' a
sed -n '1!{p;e ls⏎}' a
sed -f a b
sed --in-place 1d a
sed -ni 1p a
sed -s -i 1p a
sed -e 'a\\' -e 'w b' a
sed -n xp a
printf * a
printf -* a
test -f *
[ -f a* ]
date +*
awk '{print > "b"}' a
awk '{print >> "b"}' a
awk '{print | "sh"}' a
awk '{print |& "sh"}' a
awk '{"ls" | getline; print}' a
awk 'BEGIN{system("ls")}'
awk '{getline x < "b"}' a
awk -f a b
awk -i inplace 1 a
awk -o 1 a
awk --file=a b
awk '@include "a"' b
awk 'BEGIN{ARGV[1]="b"}' a
awk 'BEGIN{f="sys" "tem"; @f("ls")}'
awk '{print $1}' *
awk 1 -*
awk $x a
awk -l ext 1 a
awk 1 -f a
xargs rm
xargs sh -c ls
xargs -a b cat
xargs -p ls
xargs rg x
xargs find
xargs -I {} sh -c {}
xargs --arg-file=b ls
xargs -0 $x
fd -x rm
fd -X rm
fd --exec rm
fd -l
fd a --exec-batch rm
iconv -o b a
iconv --output=b a
ss -K
ss -D b
lsof -D b
lsof -i -cnode
ss evil
ss -tn not evil
ss -tnp some-name
ss -tn sport = evil
lsof -a -i -un
lsof -i -P -pn
lsof +m b
lsof -r
lsof
lsof -p 1
lsof -a -u dev -c node
lsof -cn
podman ps
podman images
podman --version
kubectl --version
kubectl --help
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
yq 'import "x" as $y; $y' a
yq 'include "x"; f' a
yq -r 'import "x" as y; y::f' a
yq '"x" | modulemeta' a
findmnt LABEL=x
findmnt UUID=x
findmnt -n PARTLABEL=x
findmnt PARTUUID=x
findmnt ID=x
bzgrep -A '1 -r' x a
bzgrep -B '1 -r' x a
bzgrep -C '1 -r' x a
bzgrep -m '1 -r' x a
bzgrep -m 1* x a
bzgrep -m "1$x" x a
bzgrep -m 1$x x a
bzgrep -A '1	-r' x a
bzgrep -A '[!p]*' x a
bzgrep -e x -A '1 -r' a
bzgrep -im '1 -r' x a
bzgrep --max-count '1 -r' x a
bzgrep --context '1 -r' x a
/usr/bin/bzgrep -A '1 -r' x a
timeout 5 bzgrep -A '1 -r' x a
find . -exec bzgrep -A '1 -r' x {} +
zgrep -A '1 -r' x a
zgrep -m 1* x a
zegrep -B '1 -r' x a
zfgrep -C "1$x" x a
xzgrep -m '1 -r' x a
bzgrep -e x -v a
bzgrep -e x -- a
bzgrep -e x -e y a
bzgrep -ie x -v a
bzgrep -ex y a
bzgrep y -ex a
bzgrep x - a
bzgrep -e x - a
bzgrep --regexp x -c a
bzgrep --regexp=x y a
bzgrep -im y -5 -ex a
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
xxd a -l
xxd a -c
uniq a -c
uniq a -
uniq -f 1 a b
uniq -c 1 b
uniq -f -f 1 b
uniq -f1 2 b
uniq -ff 1 b
uniq --skip-fields -f 1 b
uniq -- -f 1 b
xxd -c 8 a b
xxd -c -c 8 b
xxd -s -c 8 b
xxd -ac 8 b
xxd a -c 8
xxd -c $x 8 b
diff -l a b
diff --paginate a b
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
sed -i 1p a
sed -n '1p;w b' a
sed -n '1e ls' a
sed -n 1p -i a
test -v 'a[$(id)]'
[ -v 'a[$(id)]' ]
command -p ls
jq -f a
less a
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
printf %n PATH
printf 'x%n' PATH && ls
printf '%-3ln' PATH
gawk 1 /inet/tcp/0/example.org/80
gawk 1 /i*/tcp/0/example.org/80
gawk 1 /"$x"
awk 'BEGIN { extension("./x.so", "dl_load") }'
top --version
awk '{ print }' /{inet,x}/tcp/0/example.org/80
ls | xargs -I cat cat a
ls | xargs -Icat cat a
ls | xargs --replace=c cat a
sed 'w a' -e p
sed '/[^]/s/]/w d/g' a
sed '/[[:a:]/s/]/w d/g' a
sed 's/[^]/x/;s|]/y/w f|z|' a
sed 's/[[:a:]/x/;s|]/y/w f|z|' a
ss dst a.example.org
ss -tr
lsof -i @a.example.org
jq 'import "key" as $d {search: "x"}; $d' a
jq 'include "a"; .' a
jq -n 'import @text "s\\u0065crets/data" as $d {search:"./"}; $d'
jq '"a" | modulemeta' a
git whatchanged
tar If ./x a.tar -t
tar If ./x a.tar --list
tar vIf ./x a.tar -tv
tar fI a.tar ./x -t
tar MFf ./x a.tar -t
tar Tf list a.tar -t
tar xf a.tar -t
`);
