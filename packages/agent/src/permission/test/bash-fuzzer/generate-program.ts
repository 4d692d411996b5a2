/** Random calls of programs that agents use for reading, with options that read, write and run programs. */
import type { Dice } from '../fuzz.ts';
import { payload, target } from './payload.ts';

/** Words that may follow a program; `%T` is a file that should not be written, `%P` a command with an effect. */
interface Program {
  readonly names: string;
  /** Separated by two spaces, since an option may have a value. */
  readonly words: string;
}

const PROGRAMS: readonly Program[] = [
  {
    names: 'ls cat head tail wc stat du nl tac rev od file',
    words: 'a  b  src  -l  -n 1  -a  -la  src/*.ts  *  .  link  -c 3  --help  -f  --follow=name',
  },
  {
    names: 'echo printf pwd true : basename seq',
    words: "a  b  -n  -e  '%s\\n'  -v x  -v 'y[$(%P)]'  '%n' x  '%(%s)T'  1  $x  \"$x\"  >&2",
  },
  {
    names: 'grep egrep rg fgrep',
    words:
      'o a  -r o .  -n  -i  -e o  -f a  --include=*.ts o src  --pre ./evil o .  -z o a  --pre=./evil x  -c o a  --color=always o a  --hostname-bin ./evil  *',
  },
  {
    names: 'sort uniq cut tr comm paste join fold',
    words:
      'a  a b  -u a  -o %T a  -uo%T a  --output=%T a  --ou=%T a  -T . a  --compress-program=./evil a  a %T  -c a  -d: -f1 a  a-z A-Z  --files0-from=a',
  },
  {
    names: 'diff cmp comm',
    words: 'a b  -u a b  -r src docs  -q a b  --to-file=a b  -l a b  a -  -x %T src docs',
  },
  {
    names: 'sed',
    words:
      "-n p a  p a  s/o/p/ a  -i s/o/p/ a  -n 1p a  -n '1,3p' a  's/o/%P/e' a  '1e %P' a  'w %T' a  -n 's/o/p/w %T' a  -e p -e q a  -f a b  -E s/o/p/ a  --in-place p a  -s -n p a  'r /etc/passwd' a  '1!G;h;$!d' a  --expression=p a  -nf a  -ni p a  '$!N;P;D' a  '/o/{p;d}' a  --debug p a  --posix p a",
  },
  {
    names: 'awk gawk mawk',
    words:
      "'{print}' a  '{print $1}' a  '$1 > 5' a  '{print > \"%T\"}' a  'BEGIN{system(\"%P\")}'  '{print | \"%P\"}' a  'BEGIN{\"%P\" | getline}'  -F: '{print $1}' a  -f a b  -v x=1 '{print x}' a  '{getline x < \"b\"; print x}' a  -i inplace '{print}' a  '{printf \"%s\", $0 > \"/dev/stderr\"}' a  'NR==1' a  -o%T '1' a  --dump-variables=%T '1' a  'length > 3' a  '{@x()}' a  -l filefuncs 1 a",
  },
  {
    names: 'find',
    words:
      ". -name '*.ts'  . -type f  src -maxdepth 1  . -delete  . -exec %P ;  . -exec cat {} +  . -exec touch MARK \\;  . -fprint %T  . -fls %T  . -ok %P ;  . -name a -print0  . -newer a  . ( -name a -o -name b )  -L . -name x  . -execdir ./evil \\;  . -printf '%p'  . -fprintf %T x  -files0-from a",
  },
  {
    names: 'fd fdfind tree',
    words:
      'x  -e ts  -x touch MARK  -X touch MARK  --exec touch MARK  --exec=./evil  . src  -H  -L 1  -o %T  -R -L 1 -o %T  --noreport  -J',
  },
  {
    names: 'xargs',
    words:
      'cat  echo  touch  -n1 echo  -I{} cat {}  -I{} touch {}  sh -c  -0 cat  wc -l  -a a cat  -a a touch  rm  -P2 echo',
  },
  {
    names: 'env command builtin nice nohup time timeout exec stdbuf',
    words:
      '%P  ls  -i ls  5 ls  5 %P  -v ls  -p ls  -u x ls  A=1 ls  -S ls  -oL cat a  -- ls  PATH=. ls  cd src',
  },
  {
    names: 'test [',
    words:
      "-f a ]  -n a ]  a = a ]  1 -eq 1 ]  -v 'x[$(%P)]' ]  -R x ]  'x[$(%P)]' -eq 1 ]  -d src ]  ! -e a ]  a -nt b ]  a -o b ]  -t 1 ]",
  },
  {
    names:
      'read unset declare local export readonly typeset let eval mapfile getopts wait trap shift set shopt alias hash enable source . history fc bind complete ulimit umask',
    words:
      "x  'x[$(%P)]'  -a x  x=1  'x[$(%P)]=1'  -r x  -p x  -e  -u  '%P' EXIT  '%P'  -i x=1  -n y=x  -A m  -x x  1  +e  -o pipefail  -s extglob  -f ./evil ls  a  -C '%P' -c 1 x  -p 'x[$(%P)]' -n  ls='%P'  -g x=1  PATH=.  BASH_ENV=evil  -- a b",
  },
  {
    names: 'git',
    words:
      'log  log --oneline -5  show HEAD  diff  status  status -s  branch  branch -a  branch --list  branch MARK  branch --format --list MARK  branch -v MARK  branch --sort MARK  branch --contains --list MARK  tag  tag -l  tag -n MARK  tag MARK  tag --list --sort MARK  log --output=%T  log --output %T  log --outpu %T  diff --output=%T  diff --no-index a b  show --output=%T HEAD  stash list  stash  config -l  config user.name  config x.y z  config --get-regexp x  -c core.pager=./evil log  -c alias.z=!./evil z  -C src log  -C . status  rev-parse HEAD  ls-files  cat-file -p HEAD  cat-file --filters HEAD:a  cat-file --textconv HEAD:a  blame a  grep o  grep -O./evil o  grep --open-files-in-pager=./evil o  reflog  reflog expire --all  remote -v  remote add x y  remote show origin  fetch  ls-remote  worktree list  worktree add MARK  describe --always  for-each-ref  for-each-ref --shell  shortlog HEAD  log -p --ext-diff  diff --ext-diff  archive -o %T HEAD  bundle create %T HEAD  format-patch -1  notes list  submodule status  bisect log  --git-dir=.git log  --exec-path=. log  -p log  --paginate log  log --format=%H -1  log -1 --pretty=%s -- a  merge-base HEAD HEAD  rev-list --count HEAD  diff --stat HEAD~1  show HEAD:a  symbolic-ref HEAD  symbolic-ref HEAD refs/heads/MARK  hash-object a  hash-object -w b  write-tree  check-ignore a  count-objects -v  gc  prune  update-index --refresh  diff-index HEAD  var GIT_EDITOR  help log  version',
  },
  {
    names:
      'jq xxd base64 iconv column hexdump strings date hostname tty id ps printenv uname df readlink realpath which type sha256sum md5sum expand',
    words:
      ". a  -r . a  -n 1  a  a %T  -r a %T  -d a  -f utf8 -t ascii a -o %T  -o%T a  -s %T  +%s  -d now  --set=now  -s now  e  aux  -ef  HOME  -i  -a ls  -c a  -L . 'import \"a\" as x; .'  'input_filename' a  MARK  --help  -n  1200",
  },
  {
    names: 'tar zip unzip dd tee cp mv ln rm touch mkdir chmod truncate split csplit install patch ed vim',
    words: 'tf a  cf %T a  xf a  of=%T if=a  %T  a %T  -r a  -l a  -s a %T  -s 0 a  600 a  a  -d %T',
  },
  {
    names: 'bash sh dash python3 perl node ruby make ./evil evil src/evil',
    words: "-c '%P'  -c ls  --version  -n a  evil  -e 1  -V  -s  a  <<< '%P'",
  },
  {
    names:
      'tput stty lsof ss netstat pgrep free uptime lscpu arch groups whoami sum cksum expr factor sleep yes',
    words: '-a  -n  -l  +m%T  -D%T  1  0  -K  -t  cols  1 + 1  a  -p 1  reset',
  },
];

export function programCall(dice: Dice): string {
  const { names, words } = dice.pick(PROGRAMS, { names: 'ls', words: 'a' });
  const options = words.split('  ');
  const count = dice.roll(3);
  const parts = [dice.pick(names.split(' '), 'ls')];
  for (let index = 0; index < count; index++) {
    const option = dice.roll(12) === 0 ? anyOption(dice) : dice.pick(options, 'a');
    parts.push(option.replaceAll('%T', () => target(dice)).replaceAll('%P', () => payload(dice)));
  }
  return parts.join(' ');
}

/** An option of another program: what one reads, another writes. */
function anyOption(dice: Dice): string {
  return dice.pick(dice.pick(PROGRAMS, { names: '', words: 'a' }).words.split('  '), 'a');
}
