/** Redirections in every place. `%` marks one. */
import { commandLines } from './lines.ts';

export const REDIRECTIONS = commandLines(String.raw`
ls %
% ls
ls % src
ls src %
ls | cat %
cat a | grep b %
ls && pwd %
{ ls; } %
( ls ) %
for f in a; do ls; done %
while read -r x; do echo; done < a %
if ls; then pwd; fi %
case x in x) ls;; esac %
echo §(ls %)
cat <(ls %)
[[ -f a ]] %
cat <<E %⏎a⏎E
cat <<< a %
%
x=1 %
git log %
ls 2>&1 %
! ls %
time ls %
exec %
`);

/** Outside, protected, or not known before it runs: asked about in acceptEdits, too. */
export const TARGETS = commandLines(String.raw`
> /etc/x
>> /etc/x
>| /etc/x
&> /etc/x
&>> /etc/x
>& /etc/x
<> /etc/x
2> /etc/x
3> /etc/x
1>> ~/.bashrc
> ~/x
> ../x
> .git/config
> .git/hooks/pre-commit
> "§HOME/x"
> §x
> "§x"
> a§x
> x=~/a
> y=~daemon
> ~+/../x
> ~-/x
> ~root/x
> §(echo /etc/x)
> /etc/{x,y}
> /et?/x
> *.txt
> §'/etc/x'
> "/etc"/x
> /dev/tcp/127.0.0.1/80
< a > /dev/stdin
3< a > /dev/fd/3
1< a > /dev/stdout
{fd}> /etc/x
> .claude/settings.json
`);

/** In the project: acceptEdits allows them. */
export const OWN_TARGETS = [
  '> x',
  '>> x',
  '>| x',
  '&> x',
  '>& x',
  '<> x',
  '2> x',
  "> 'a b'",
  '> a\\ b',
  '> "x"',
  '> src/x',
  '> ./x',
];
