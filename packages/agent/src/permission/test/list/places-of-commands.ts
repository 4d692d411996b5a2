/** Every place in which a command or a substitution can occur. `%` marks it. */
import { commandLines } from './lines.ts';

/** Every place where a substitution can stand. */
export const POSITIONS = commandLines(String.raw`
%
ls %
ls "%"
ls a%b
ls "a %"
ls -%
ls --color=%
echo x=%
echo "§{x:-%}"
echo §{x:-%}
echo §{x:+%}
echo §{x%%%}
echo "§{x#%}"
echo §{x//%/b}
echo §{x//a/%}
echo §{x:?%}
x=%
x="%"; ls
x=a%; ls
x+=%; ls
x=(%)
x=(a % b); ls
x=("%"); echo ok
for f in %; do ls; done
for f in a "%" b; do echo "§f"; done
while read -r l; do echo "%"; done < a
if [ -n "%" ]; then ls; fi
if [[ -n % ]]; then ls; fi
if ls "%"; then pwd; fi
[ "%" = x ] && ls
[[ % == x ]] && ls
[[ x == % ]] && ls
[[ -f % ]] || ls
test -n "%" && ls
case % in a) ls;; esac
case x in %) ls;; esac
case x in "a%") ls;; *) pwd;; esac
case x in x) echo %;; esac
cat <<< %
cat <<< "a % b"
cat <<E⏎%⏎E
cat <<E⏎a "%" b⏎E⏎ls
cat <<-E⏎	%⏎	E
cat a | grep % | head
ls && echo % || true
ls; echo %; pwd
(ls; echo %)
{ ls; echo %; }
! echo %
time echo %
cat < %
cat < "%"
ls 2> /dev/null "%"
ls > /dev/null %
echo §(ls %)
echo "§(echo "%")"
diff <(cat %) a
cat <(echo %)
LC_ALL=% ls
LC_ALL=C ls %
timeout 5 ls %
xargs echo % < a
find . -name "%"
find . -name a -exec cat % {} \;
grep "%" a
sed "s/a/%/" b
awk "{print %}" a
jq "%" a.json
git log "%"
git show %
printf '%s' "%"
printf "%"
cd % && ls
cd "%"; git status
set -e; echo %
export LC_ALL=%
tail -f %
head -n % a
echo a # b⏎echo %
f() { echo %; }; f
`);

/** Every place of a command in a script. */
export const PLACES = commandLines(String.raw`
%
ls; %
ls && %
ls || %
ls | %
ls |& %
ls & %
% &
ls⏎%
%; ls
% | cat
(%)
( ls; % )
{ %; }
! %
time %
time -p %
if %; then ls; fi
if ls; then %; fi
if ls; then pwd; else %; fi
if ls; then pwd; elif %; then ls; fi
while %; do ls; done
while ls; do %; done
until %; do ls; done
for f in a b; do %; done
for ((i=0;i<2;i++)); do %; done
case x in x) %;; esac
case x in a) ls;; *) %;; esac
f() { %; }; f
f() { ls; }; %
cat <(%)
ls > >(%)
coproc %
set -e; %
cd src && %
ls # a⏎%
ls \⏎; %
timeout 5 %
nice %
nohup %
command %
stdbuf -oL %
env %
LC_ALL=C %
PATH=. %
ls | xargs %
ls | xargs -n1 %
xargs -I{} % {} < a
find . -exec % {} \;
find . -execdir % {} +
[ -f a ] && %
[[ -f a ]] && %
cat <<E | %⏎a⏎E
read -r x; %
x=1; %
sudo %
eval '%'
eval "%"
exec %
bash -c '%'
trap '%' EXIT
echo '%' | sh
bash <<< '%'
bash <<E⏎%⏎E
. <(echo '%')
source /dev/stdin <<< '%'
watch '%'
at now <<< '%'
`);
