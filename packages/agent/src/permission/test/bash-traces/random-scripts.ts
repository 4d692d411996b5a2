/** Random scripts from pieces of every kind of shell syntax, for comparisons of the reader with bash. */
import type { Dice } from '../fuzz.ts';

function piecesOf(text: string): readonly string[] {
  return text.split('¦');
}

/** Pieces of words that the reader understands in most places. */
const TAME = piecesOf(
  "a¦b¦-o¦x.ts¦1¦d¦a=b¦=¦:¦,¦..¦@¦%¦+¦#¦!¦^¦/¦-¦}¦.¦'a b'¦''¦'\"'¦'\\'¦'*'¦'$x'¦'\n'¦" +
    '"a b"¦""¦"\'"¦"*"¦"~"¦"a\\"b"¦"\\\\"¦"\\a"¦\\ ¦\\*¦\\a¦\\\'¦\\"¦\\\\¦\\$¦\\~¦\\{¦\\;¦\\#¦*¦?¦' +
    '[ab]¦[!a]¦[a-c]¦.*¦**¦d/*¦*.ts¦[¦]¦-*¦n*¦~¦~/¦~/a¦{a,b}¦{1..3}¦{a..c}¦{}¦{a}¦{,a}¦{-o,b}¦$x¦' +
    '"$x"¦${x}¦"${x}b"¦$y¦"$y"¦${x:-a}¦"${x:-a b}"¦${x#a}¦"${x%b}"¦${x/a/b}¦${#x}¦$?¦$#¦"$@"¦$@¦$*¦' +
    '"$*"¦$1¦$((1+2))¦"$((2*3))"¦${x:1}¦${x^^}¦${x+b}¦$HOME¦$HOME/a¦*/¦$!¦"$PWD"¦$v¦"$v"¦' +
    '$(echo a b)¦"$(echo a b)"¦$(echo "a b")¦"$(echo "a b")"¦`echo a`¦"`echo a b`"¦$(: a; echo b)¦' +
    '$(echo a # b\n)',
);

/** Pieces that need care: rare escapes, ambiguous characters, and starts of constructs without their ends. */
const WILD = piecesOf(
  "$'a\\n'¦$'\\x61'¦$'\\141b'¦$'\\u00e9'¦$'\\U1F600'¦$'a\\0b'¦$'\\x00b'¦$'\\ca'¦" +
    "$'\\''¦$'\\\"\\?'¦$'\\e\\a\\b\\f\\v'¦$'\\x'¦$'\\x6'¦$'\\xe9'¦$'\\400'¦$'\\9'¦" +
    "$'\\q'¦$'\\\\'¦$'a'¦$'\\t'¦$'\\r'¦$'\\u'¦$'\\x{61}'¦$'\\c\\\\'¦$'\\cx'¦" +
    '$\'\\E\'¦$"a"¦$"a $x"¦"$\'a\'"¦$¦$$¦$!¦"$"¦"$ a"¦"a$"¦$""¦$\'\'¦$[1+1]¦${x¦$(¦`¦"¦\'¦\\¦\\\n¦' +
    'a\\\nb¦"a\\\nb"¦\'a\\\nb\'¦~+¦~-¦~root¦a=~¦a:~¦=~/a¦:~/b¦a=b:~/c¦"~/a"¦~"/a"¦~\\/a¦~/{a,b}¦' +
    '{~,a}¦{a,~}/b¦~{a,b}¦{,~}¦{a¦b}¦{a,b¦,b}¦{a,{b,c}}¦{a,"b"}¦{"a,b"}¦{a,b}{1,2}¦${x}{a,b}¦' +
    '$x{a,b}¦{$x,b}¦{a..}¦{1..3..2}¦{01..3}¦{a..C}¦{x},b}¦{a,b}..¦{1..$x}¦{a,\\,}¦{a,\n}¦{a,b}=~¦' +
    '{x,y}=1¦[a¦a]¦[]a]¦[[:alpha:]]¦[!-z]¦[\\]a]¦["a"b]¦[\'*\']¦[$x]¦[a/b]¦?(a)¦*(a|b)¦@(a)¦+(b)¦' +
    '!(a)¦[^a]¦[[.a.]]¦[a-¦[.]*¦${x:=a}¦${x:?}¦${!x}¦${!x*}¦${x@Q}¦${x@P}¦${z[0]}¦"${z[@]}"¦${z[*]}¦' +
    '${#z[@]}¦${x:-$(echo a)}¦${x:-"a b"}¦${x:-\'a b\'}¦"${x:-\'a b\'}"¦${x:-*}¦${x:-~}¦${x:-{a,b}}¦' +
    '${x:-a}b}¦${x//[ab]/-}¦${x:1:2}¦${x: -1}¦${x,,}¦${-}¦${?}¦${@}¦${1:-a}¦${x-\\}}¦"${x+"a b"}"¦' +
    '${x:-`echo a`}¦$((¦))¦$((x))¦$((x+1))¦$((1?2:3))¦$(( 1 ))¦$((0x1f))¦$((010))¦$(((1)))¦' +
    '$(( (1) ))¦$((a[0]))¦$(($x))¦$( (echo a) )¦$((echo a); echo b)¦$(<a)¦$(< a)¦`echo "a b"`¦' +
    '`echo \\`echo a\\``¦`echo \\$x`¦"`echo \\"a b\\"`"¦$(echo $(echo a))¦' +
    "$(case a in a) echo b;; esac)¦$(echo ')')¦$(echo \\))¦$(echo a\n)¦<(echo a)¦>(:)¦a<(:)¦" +
    '$(cat <<E\na\nE\n)¦\u00e9¦\u00a0¦\u2028¦\u0085¦\ufeff¦\u200b¦\u{1f600}¦\ud800¦\v¦\f¦\r¦\t¦' +
    'a\u00a0b¦\u3000¦e\u0301¦"\u00a0"¦\u2003¦!!¦!a¦a!b¦"!a"¦^a^b¦#a¦a#b¦"#"¦a\'b\'"c"$\'d\'¦-¦--¦%¦' +
    "+x¦a\\¦\"a\"b'c'¦'a'\\''b'¦if¦then¦fi¦do¦done¦case¦esac¦in¦{¦}¦[[¦]]¦time¦function¦coproc¦" +
    'select¦while¦!¦else',
);

const NAMES = piecesOf('echo¦echo¦echo¦:¦:¦true¦false¦printf %s¦nosuch¦a¦echo -n¦pwd');
const WILD_NAMES = piecesOf(
  "\\echo¦'echo'¦\"echo\"¦ec\"\"ho¦$x¦e{cho,x}¦~/a¦./a¦*¦$'echo'¦\\if¦'{'¦builtin echo¦" +
    'command echo¦command -p echo¦exec 3>&1¦test¦[¦set --¦shift¦cd¦cd d¦unset x¦time¦time -p¦!¦! !¦' +
    'al a¦alias a=b;¦type¦let¦export¦declare¦local¦readonly q=1;¦read x¦getopts a x¦wait¦trap¦' +
    'return¦exit¦break¦continue¦hash¦enable¦shopt -s extglob;¦set -f;¦set +B;¦set -k;¦set $x;¦' +
    'set -ef;¦IFS=/;¦IFS=1;¦shopt -s nullglob;¦unalias¦.¦source¦IFS=b;¦x=1',
);
const ASSIGNED = piecesOf(
  'x=a¦x=\'a b\'¦x="-o"¦y=b¦x=¦y="$x"¦x=$(echo a)¦x=~¦x=~/a¦x=a:~/b¦y=*¦x={a,b}¦x=1¦x=$((1+1))¦' +
    "x=$'a b'¦y=d/a",
);
const WILD_ASSIGNED = piecesOf(
  'x+=a¦z=(a b)¦z=(a *)¦z=()¦z[0]=a¦x=a\\ b¦x=\'a\'"b"¦x= ¦x=(a¦x =a¦1x=a¦x-y=a¦"x=a"¦x"="a¦\\x=a¦' +
    'x\\=a¦$x=a¦x=a=b¦x=~:~¦x="~"¦x=`echo a`¦x=$y¦x=[a]¦z+=(c)¦z=([1]=a)¦\u00e9=1¦x=#a¦x=a#b¦x=<(:)¦' +
    'x=!¦declare x=a¦export x=~¦export x=$y¦local x=a¦x={a,b}¦export {x,y}=a¦PATH=¦HOME=b¦IFS=a¦' +
    'export "x=~"¦export x=*¦readonly x',
);
const SINKS = piecesOf(
  '> q¦>q¦>>q¦2>q¦2>/dev/null¦2>&1¦>|q¦&>q¦>&q¦< a¦<a¦<>q¦<nofile¦> "q r"¦> \'q\'¦>q 2>&1¦1>q¦' +
    '<<<a¦<<< \'a b\'¦<<<"$x"¦>&2¦2>&-¦<&-¦< /dev/null',
);
const WILD_SINKS = piecesOf(
  '{fd}>q¦&>>q¦>&1q¦2>q3¦3>q¦10>q¦12<>q¦a2>q¦"2">q¦\\2>q¦$x>q¦> $x¦> *¦> q*¦> {q,r}¦> ~/q¦>~¦' +
    '> "$x"q¦>q>r¦>q<nofile¦<2>&1¦<&-a¦>&-a¦>& q¦>&$x¦>&"q"¦>&\'1\'¦>&\\1¦>&q-¦>&1-¦3>&1-¦3<&0¦<<<¦' +
    '<<< a b¦<<<$x¦<<<*¦<<<{a,b}¦<<<~¦> >q¦>\nq¦>\\\nq¦>#q¦> #q¦>q;¦>q&¦>q|¦>(:)¦> >(:)¦< <(echo a)¦' +
    "<(:)¦>!q¦>&>q¦&>q 2>&1¦&>&1¦>|>q¦2>&1>q¦>$(echo q)¦>`echo q`¦>$'q\\n'¦>q$¦> q\u00a0r¦" +
    '> \u00e9¦1 >q¦1> q¦1> 2¦>2¦2>2¦>&2>q¦>=q¦<>¦> ""¦{x,y}>q¦{x}<a¦{1}>q¦x=1 >q',
);

const DELIMITERS = piecesOf('E¦\'E\'¦"E"¦E¦END');
const WILD_DELIMITERS = piecesOf(
  "\\E¦E''¦\"E\" ¦$x¦'E F'¦\"\"¦$'E'¦E\\\n¦`E`¦E;¦*¦~¦'E\n'¦-E¦{a,b}¦E#¦\"a\\\"b\"",
);
const LINES = piecesOf(
  'a¦a b¦$x¦"a"¦\'a¦$(echo a)¦`echo a`¦\\$x¦¦ E¦E ¦EE¦\tE¦\ta¦#¦${x}¦a\\¦\\¦"¦$(¦`¦$\'a\'¦' +
    '$((1+1))¦\\\\¦\\a¦\u00e9¦${x:-"a"}¦${x:-\'a\'}¦$¦$"a"¦<<F¦a\\\nE¦E\\',
);

interface Taste {
  readonly dice: Dice;
  /** How often a piece is wild: one of this number. */
  readonly rarity: number;
}

function choose({ dice, rarity }: Taste, tame: readonly string[], wild: readonly string[]): string {
  return dice.roll(rarity) === 0 ? dice.pick(wild, '') : dice.pick(tame, '');
}

function randomWord(taste: Taste): string {
  const { dice } = taste;
  let word = '';
  for (let count = 1 + (dice.roll(2) === 0 ? 0 : dice.roll(4)); count > 0; count--)
    word += choose(taste, TAME, WILD);
  return word;
}

function blank({ dice, rarity }: Taste): string {
  if (dice.roll(rarity) > 0) return ' ';
  return dice.pick(
    [
      '  ',
      '\t',
      ' \\\n',
      '\\\n ',
      '\\\n',
      '',
      '\u00a0',
      ' \\\n ',
      '\v',
      '\f',
      '\r',
      '\u3000',
      ' # a\n',
      '\\ ',
    ],
    ' ',
  );
}

function hereDocument(taste: Taste): string {
  const { dice } = taste;
  const delimiter = choose(taste, DELIMITERS, WILD_DELIMITERS);
  const operator = dice.pick(['<<', '<<', '<<-', '<< ', '<<- '], '<<');
  const lines = Array.from({ length: dice.roll(4) }, () => dice.pick(LINES, ''));
  const end =
    dice.roll(taste.rarity) === 0
      ? dice.pick(['E', 'END', '\tE', 'E ', 'EE', '', 'E\\'], 'E')
      : delimiter.replace(/["'\\]/g, '');
  const tab = operator.startsWith('<<-') ? dice.pick(['', '\t', '\t\t'], '') : '';
  const more =
    dice.roll(6) === 0
      ? ` ${dice.pick(['| :', '&& echo b', '; echo c', '>q', '&', '# a', '<<F', "<<'F'"], '')}`
      : '';
  const second = /F/.test(more) ? 'c\nF\n' : '';
  return `${dice.pick(['take', 'take', 'echo', ':'], ':')} ${operator}${delimiter}${more}\n${lines.map((line) => `${line}\n`).join('')}${tab}${end}\n${second}`;
}

function simple(taste: Taste): string {
  const { dice } = taste;
  const pieces: string[] = [];
  while (dice.roll(6) === 0) pieces.push(choose(taste, ASSIGNED, WILD_ASSIGNED));
  if (dice.roll(12) === 0) pieces.push(choose(taste, SINKS, WILD_SINKS));
  if (dice.roll(12) > 0) {
    pieces.push(choose(taste, NAMES, WILD_NAMES));
    for (let count = dice.roll(4); count > 0; count--) pieces.push(randomWord(taste));
  }
  while (dice.roll(5) === 0) {
    pieces.push(choose(taste, SINKS, WILD_SINKS));
    if (dice.roll(3) === 0) pieces.push(randomWord(taste));
  }
  if (pieces.length === 0) pieces.push(':');
  let text = pieces[0] ?? '';
  for (const piece of pieces.slice(1)) text += blank(taste) + piece;
  return text;
}

function pattern(taste: Taste): string {
  return choose(
    taste,
    ['a', '*', 'a|b', '"a b"', '[ab]*', '(a', '(a|b', "'*'"],
    ['a b', '$x', '$(echo a)', '~', 'esac', '(esac', '{a,b}', 'a\\)', '!(a)', '"$x"', 'a)echo b;;b'],
  );
}

/** A compound command, or a simple one. */
function statement(taste: Taste, depth: number): string {
  const { dice } = taste;
  if (depth <= 0) return simple(taste);
  const inner = (): string => randomList(taste, depth - 1);
  const sink = dice.roll(4) === 0 ? ` ${choose(taste, SINKS, WILD_SINKS)}` : '';
  const word = (): string => randomWord(taste);
  switch (dice.roll(22)) {
    case 0:
      return `(${dice.pick([' ', '', '\n'], '')}${inner()})${sink}`;
    case 1:
      return `{ ${inner()}${end(dice)}}${sink}`;
    case 2:
      return `if ${inner()}${end(dice)}then ${inner()}${end(dice)}${dice.roll(2) ? `else ${inner()}${end(dice)}` : ''}fi${sink}`;
    case 3:
      return `for ${choose(taste, ['x', 'y'], ['é', 'PATH', '$x', 'x y', 'in'])} in ${word()} ${word()}${end(dice)}do ${inner()}${end(dice)}done${sink}`;
    case 4:
      return `for x in ${choose(taste, ['a b', '*', '*.ts d', '{a,b}', '1 2', ''], ['$y', 'a;b', 'a\\\nb', '# a', 'do', '"a b"'])}${end(dice)}do ${inner()}${end(dice)}done`;
    case 5:
      return `case ${word()} in ${pattern(taste)}) ${inner()};; ${dice.roll(2) ? `*) ${inner()}${choose(taste, [';; ', '\n', ''], [';& ', ';;& ', ';', '&'])}` : ''}esac${sink}`;
    case 6:
      return `while ${dice.pick(['false', 'false a', '! :', '! echo a'], 'false')}; do ${inner()}${end(dice)}done${sink}`;
    case 7:
      return `${choose(taste, ['f()', 'f ()', 'function f', 'f() '], ['f ( )', 'function f()', 'é()', 'f\n()', 'echo()', 'function a-b', 'function if', 'a=b()'])} { ${inner()}${end(dice)}}${dice.pick(['; f a', '\nf', '; f $x', ''], '')}`;
    case 8:
      return `[[ ${choose(taste, ['-n a', 'a == b', 'a = *', '-z $x', '"$x" == a', 'a && b', '! -e a', '( a )', 'a =~ a'], [word(), `${word()} == ${word()}`, '1 -eq 1', '$x -eq 1', 'a < b', 'a\n&& b', '-v x', 'a =~ (b)', '"a" == "$(echo b)"', '`echo a`'])} ]]${sink}`;
    case 9:
      return choose(
        taste,
        ['((1+1))', '(( 1 ))', 'for ((i=0;i<2;i++)); do echo $i; done', 'x=1; echo $((x+1))'],
        [
          '((x=1))',
          '(( $x ))',
          '((a[0]))',
          '((echo a); echo b)',
          'for ((;;)); do break; done',
          '((1)) && ((2))',
          'for ((i=0; i<1; i++)) { echo a; }',
          '(( 1 # a\n))',
        ],
      );
    case 10:
    case 11:
    case 12:
      return hereDocument(taste);
    case 13:
      return `${choose(taste, ['! ', 'time '], ['time -p ', '!', 'time\n', '! ! ', 'time ! ', 'coproc ', '! time ', 'time -- ', 'x=1 ! ', '>q if ', 'x=1 { ', 'time; ', 'function '])}${simple(taste)}`;
    default:
      return simple(taste);
  }
}

function end(dice: Dice): string {
  return dice.pick(['; ', '\n', ' ;', ' & ', ';\n', ' # a\n'], '; ');
}

function randomList(taste: Taste, depth: number): string {
  const { dice } = taste;
  let text = statement(taste, depth);
  for (let count = dice.roll(3); count > 0; count--) {
    const between = choose(
      taste,
      ['; ', ' && ', ' || ', ' | ', '\n', ' |& ', ' & ', ';', '&&', '||', '|', '&', '\n\n'],
      [
        ' ; ;',
        ';;',
        '&&\n',
        '|\n',
        ' # a\n',
        '#a\n',
        '; # a\n',
        ' \\\n',
        '\\\n',
        '&& # a\n',
        '\r\n',
        ' &\n',
        '&;',
        ';&',
        '\u00a0;',
        ';\u00a0',
        ' ',
        '|!',
        '| !',
        '|| !',
        '\n#\\\n',
        '\t;\t',
        '&>q ',
        '&&&',
      ],
    );
    text += between + statement(taste, depth);
  }
  return text;
}

export function randomScript(dice: Dice): string {
  const taste = { dice, rarity: dice.pick([4, 8, 16, 32, 200], 8) };
  const text = randomList(taste, dice.roll(3));
  return dice.roll(8) === 0
    ? dice.pick(
        [
          `${text}\n`,
          ` ${text}`,
          `\n${text}`,
          `# a\n${text}`,
          `${text} # a`,
          `${text};`,
          `${text} &`,
          `${text}\\`,
          `${text}#a`,
        ],
        text,
      )
    : text;
}
