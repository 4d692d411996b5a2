/** Text that the shell evaluates although it looks like data: arithmetic, arrays, variables. `%` represents a value. */
import { commandLines } from './lines.ts';

export const ARITHMETIC = commandLines(String.raw`
y='%'; echo §((y))
y='%'; echo §((1+y))
y='%'; echo "§((y))"
y='%'; ((y))
y='%'; ((y)) && ls
y='%'; ((z=y)); ls
y='%'; x[y]=1
y='%'; x[y]=1; ls
y='%'; x[§y]=1
y='%'; x=([y]=1)
y='%'; x=(a [y]=b)
y='%'; echo §{x[y]}
y='%'; echo "§{x[§y]}"
y='%'; echo §{#x[y]}
y='%'; echo §{HOME:y}
y='%'; echo §{HOME:§y}
y='%'; echo §{HOME:0:y}
y='%'; echo "§{HOME:y:1}"
y='%'; x=§{HOME:y}
y='%'; x="§{HOME:0:y}"; ls
y='%'; for f in §{HOME:y}; do ls; done
y='%'; case §{HOME:y} in *) ls;; esac
y='%'; case x in §{HOME:y}) ls;; esac
y='%'; cat <<< §{HOME:y}
y='%'; cat <<E⏎§{HOME:y}⏎E
y='%'; cat <<E⏎§((y))⏎E
y='%'; [[ y -eq 0 ]]
y='%'; [[ §y -eq 0 ]] && ls
y='%'; [[ "§y" -lt 1 ]]
y='%'; [[ 1 -ge y ]]
y='%'; [[ -f a && y -ne 1 ]]
y='%'; [[ ! 1 -gt §y ]]
y='%'; for ((i=y;i<1;i++)); do ls; done
y='%'; for ((i=0;i<y;i++)); do ls; done
y='%'; for ((i=0;i<1;i+=y)); do ls; done
y='%'; echo §{!y}
y='%'; echo §[y]
y='%'; ls §((y)) src
y='%'; head -n §((y)) a
y='%'; i=0; while [[ §i -lt §y ]]; do i=§((i+1)); done
y='%'; echo §((y ? 1 : 2))
y='%'; if ((y)); then ls; fi
y='%'; while ((y)); do ls; done
y='%'; echo §{z:-§((y))}
y='%'; echo §(echo §((y)))
y='%'; (echo §((y)))
y='%'; let y
y='%'; let z=y; ls
y='%'; declare -i z=y
y='%'; declare -i z; z=§y; ls
y='%'; typeset -i z=§y
y='%'; declare -n z=y; echo §z
y='%'; export -n z=§((y))
[[ -v '%' ]]
[[ -v "%" ]] && ls
test -v '%'
[ -v '%' ] && ls
[ ! -v '%' ]
[[ '%' -eq 0 ]]
[[ 0 -eq "%" ]]
x['%']=1
x=(['%']=1)
x=(["%"]=1); ls
echo §{x['%']}
echo §{HOME:'%'}
echo §(('%'))
printf -v '%' a
printf -v'%' a
read '%' < a
read -r -a '%' < a
mapfile '%' < a
mapfile -C '%' -c 1 x < a
unset '%'
export '%=1'
declare '%=1'
readonly '%'=1
local '%'=1
wait -p '%'
getopts a '%'
let '%'
OPTIND='%'
RANDOM='%'; ls
HISTCMD='%'; ls
echo "§{x:-'§(make)'}"
cat <<E⏎§{x:-'§(make)'}⏎E
echo "§{x:='%'}"; ls
y='§(make)'; echo "§{y@P}"
y='%'; echo §{x:(y)}
y='%'; echo §{@:y}
y='%'; set -- a; echo §{1:y}
for y in '%'; do echo §((y)); done
read y <<< '%'; echo §((y))
y=§(echo '%'); echo §((y))
y=("%"); echo §((y))
`);

export const GLUED = commandLines(String.raw`
x=()%
x=(a)%
x=(a b)"%"
x=( )%
x+=()%
x=()%; ls
x=(a)% ls
ls; x=()%
(x=()%)
{ x=()%; }
if x=()%; then ls; fi
for f in a; do x=()%; done
echo §(x=()%)
cat <(x=()%)
export x=()%
declare x=()%
x=(§(ls))%
x=()a%
x=(a)b"%"
x[0]=()%
`);

/** Changes what a program does that is named by its usual name. */
export const VARIABLES = commandLines(String.raw`
PATH=.
PATH=.:§PATH
LD_PRELOAD=./x.so
LD_LIBRARY_PATH=.
BASH_ENV=./x
ENV=./x
PS4='§(make)'
PROMPT_COMMAND=make
IFS=/
CDPATH=/
HOME=/tmp
SHELLOPTS=xtrace
BASHOPTS=extdebug
GIT_PAGER='make'
GIT_EXTERNAL_DIFF=./x
GIT_SSH_COMMAND=./x
GIT_CONFIG_COUNT=1
GIT_DIR=/tmp/x
GIT_TRACE=/etc/x
PAGER=./x
LESSOPEN='|./x'
MANPAGER=./x
EDITOR=./x
NODE_OPTIONS=--require=./x
PYTHONSTARTUP=./x
PERL5OPT=-Mx
RUBYOPT=-rx
RIPGREP_CONFIG_PATH=./x
TAR_OPTIONS=--to-command=./x
GREP_OPTIONS=-f/etc/x
LOCPATH=.
TZDIR=.
TERMINFO=.
GCONV_PATH=.
http_proxy=http://evil.example
LC_ALL=§(make)
`);

export const WITH_VARIABLE = [
  '% ls',
  '%; ls',
  'export %; ls',
  '% git log',
  'ls; % cat a',
  'declare %; ls',
  'readonly %; ls',
  'env % ls',
  'for f in a; do % ls; done',
  '(%; ls)',
];
