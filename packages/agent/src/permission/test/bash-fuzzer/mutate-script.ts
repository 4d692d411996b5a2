/** Scripts that only read, and small damage to them: letters taken out, doubled, moved, and pieces of other scripts put in. */
import type { Dice } from '../fuzz.ts';
import { payload } from './payload.ts';
import { randomScript } from './generate-script.ts';

const READING: readonly string[] = [
  'ls -la',
  'ls src | wc -l',
  'cat a b | head -n 2',
  "grep -rn 'o' src --include=*.ts | sort -u | head -5",
  'git log --oneline -5 && git status -s',
  'git diff --stat HEAD~1',
  "git log --format='%h %s' -3",
  'git show HEAD:a | wc -l',
  'git branch --list',
  'git -C . log -1',
  "find . -name '*.ts' -not -path './.git/*' | xargs wc -l",
  'find src -type f -exec cat {} +',
  "sed -n '1,3p' a",
  "sed -e 's/o/p/' -e '/x/d' a",
  "awk '{print $1}' a",
  "awk -F: '{ print $1, $2 }' a | sort",
  'echo "a b" c',
  'echo \'it is\' "$HOME"',
  'x=1; echo $x',
  'for f in a b; do cat "$f"; done',
  'if [ -f a ]; then cat a; else ls; fi',
  'while read -r line; do echo "$line"; done < a',
  'case $x in a) ls;; *) pwd;; esac',
  '(cd src && ls)',
  'cd src && git log -1 && cat x.ts',
  'test -f a && echo yes || echo no',
  '[[ -f a && ! -d a ]] && cat a',
  "printf '%s\\n' a b",
  'wc -l src/*.ts',
  'head -n 1 a; tail -n 1 b',
  'diff a b; true',
  'cat <<E\ntext $x\nE',
  "cat <<'E'\n$(not run)\nE",
  "tr a-z A-Z <<< 'text'",
  'sort a | uniq -c | sort -rn',
  'ls 2>/dev/null >&2',
  'echo a > /dev/null',
  'type ls; command -v git',
  'jq . a',
  'date +%s; pwd; id',
  'stat a | grep Size',
  'cat "a" \'b\' src/x.ts',
  'ls {a,b} src/{x,y}.ts',
  'echo ${x:-a} ${#x} $((1 + 2))',
  'LC_ALL=C sort a',
  'set -e; ls',
  'xargs -n1 echo < a',
  'git ls-files | grep ts',
  'rg -n o src',
  'cut -d: -f1 a | paste -s -d,',
  'du -sh src; df -h .',
  '! grep -q zzz a',
  'time ls',
  'echo a\\ b "c\\"d" $\'e\\tf\'',
  'echo "$(cat a)" `cat b`',
  'diff <(sort a) <(sort b)',
];

const TOKENS =
  "; & | && || ( ) { } $( ` ) ${ } $(( )) (( [[ ]] \" ' \\ $ # < > >> << <<< <( >( = += [ ] * ? ~ ! @ : - -- \n \t x=( ) a=() x[ ]= $' E\n if then fi do done in case esac ;; function coproc eval".split(
    ' ',
  );

export function mutatedScript(dice: Dice): string {
  let text = dice.roll(6) === 0 ? randomScript(dice) : dice.pick(READING, 'ls');
  if (dice.roll(3) === 0)
    text += `${dice.pick(['; ', ' && ', ' | ', '\n', ' || '], '; ')}${dice.pick(READING, 'ls')}`;
  for (let changes = dice.roll(4); changes > 0; changes--) text = mutated(text, dice);
  return text;
}

function mutated(text: string, dice: Dice): string {
  const at = dice.roll(text.length + 1);
  const to = Math.min(text.length, at + 1 + dice.roll(4));
  switch (dice.roll(8)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1);
    case 1:
      return text.slice(0, at) + text.slice(to);
    case 2:
      return text.slice(0, to) + text.slice(at, to) + text.slice(to);
    case 3:
      return text.slice(0, at) + dice.pick(TOKENS, ';') + text.slice(at);
    case 4:
      return text.slice(0, at) + payload(dice) + text.slice(at);
    case 5:
      return `${text.slice(0, at)}${dice.pick([`$(${payload(dice)})`, `\`${payload(dice)}\``, `;${payload(dice)};`, `<(${payload(dice)})`, `'${payload(dice)}'`], '')}${text.slice(at)}`;
    case 6: {
      const other = dice.pick(READING, 'ls');
      const from = dice.roll(other.length);
      return text.slice(0, at) + other.slice(from, from + 1 + dice.roll(12)) + text.slice(at);
    }
    default: {
      const [word = 'a', ...rest] = text.split(' ').slice(dice.roll(3));
      return [...text.split(' ').slice(0, 1), dice.pick(TOKENS, ';'), word, ...rest].join(' ');
    }
  }
}
