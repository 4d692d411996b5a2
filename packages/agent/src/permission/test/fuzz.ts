/** Random commands under a seed: soups of shell tokens, and good scripts with something spoiled in them. */

const TOKENS = [
  'ok',
  'ok',
  'ok a',
  'okb',
  'bad',
  'bad x',
  'rm a',
  'ls',
  'cat a',
  'echo b',
  './ok',
  './bad',
  'a',
  'b',
  '-f',
  '$x',
  '"$x"',
  "'a b'",
  '"a b"',
  '*',
  '?',
  '~',
  ';',
  ';',
  '&&',
  '||',
  '|',
  '|&',
  '&',
  '\n',
  '\n',
  '(',
  ')',
  '{',
  '}',
  '{ ',
  '; }',
  '$(',
  '`',
  '${',
  '}',
  '$((',
  '))',
  '((',
  '[[',
  ']]',
  "'",
  '"',
  '\\',
  '$',
  '#',
  'if',
  'then',
  'else',
  'fi',
  'for',
  'i',
  'in',
  'do',
  'done',
  'while',
  'case',
  'esac',
  ';;',
  'function',
  'f()',
  'time',
  '!',
  'coproc',
  'select',
  '> a',
  '>> a',
  '< a',
  '2>&1',
  '>/dev/null',
  '&> a',
  '<<EOF',
  'EOF',
  '<<< a',
  '<(',
  '>(',
  'x=1',
  'X=1',
  'PATH=.',
  'eval',
  'exec',
  'env',
  'command',
  'timeout 5',
  'xargs',
  'nice',
  '\t',
  '  ',
  "$'",
  "\\'",
  '<&-',
  '2>&-',
  '<<-EOF',
  "<<'EOF'",
  '\\\n',
  ';&',
  '[ -f a ]',
  'cd .',
  'set -e',
  'wait',
];

/** Covered, wrappers, and programs that only read: spoiled names sometimes become one. */
export const RAN: readonly string[] =
  'ls cat echo ok okb time timeout nice nohup xargs od nl wc tr id ps du comm head cut rev tac join sum expr seq fold stat w who df sort cmp fmt cal'.split(
    ' ',
  );

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** A whole number below `limit`. */
  roll(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % limit;
  }

  pick<T>(items: readonly T[], fallback: T): T {
    return items[this.roll(items.length)] ?? fallback;
  }
}

const TEMPLATES = [
  'ok && ok a',
  'ok; okb',
  'ok | ok',
  '( ok )',
  '{ ok; }',
  'if ok; then ok; fi',
  'for i in a b; do ok $i; done',
  'ok $(ok)',
  'ok "$(ok a)"',
  'ok `ok`',
  'ok <(ok)',
  'case $x in a) ok;; esac',
  'ok <<EOF\n$x\nEOF',
  "ok <<'EOF'\n$(bad)\nEOF",
  'ok <<EOF\n$(ok a)\nEOF',
  'ok <<EOF\n$(bad a)\nEOF\nok',
  'ok > /dev/null 2>&1',
  'x=1; ok $x',
  'ok &\nok',
  '! ok',
  'time ok',
  'timeout 5 ok',
  'ls | ok',
  'ok ${x:-a}',
  'ok $((1+2))',
  '[[ -f a ]] && ok',
  'ok <<< "a"',
  'ok \\\n a',
  'ok # bad',
  "ok 'bad'",
  'NODE_ENV=a ok',
  'f() { ok; }; ok',
  '(cd . && ok)',
  'if [ -f a ]; then ok; else ls; fi',
  'ok & wait',
  "ok $'a\\'b'",
  'ok <<A <<B\na\nA\nb\nB\nok',
  'cat <<EOF | ok\nx\nEOF',
  'ok "$(ok <<EOF\nx\nEOF\n)"',
];

export function randomCommand(dice: Dice): string {
  if (dice.roll(2) === 0) {
    return Array.from({ length: 1 + dice.roll(8) }, () => dice.pick(TOKENS, 'ok')).join(
      dice.roll(4) === 0 ? '' : ' ',
    );
  }
  let text = dice.pick(TEMPLATES, 'ok');
  for (let spoils = dice.roll(4); spoils > 0; spoils--) {
    const at = dice.roll(text.length + 1);
    const kind = dice.roll(4);
    if (kind === 0) text = text.slice(0, at) + text.slice(at + 1);
    else if (kind === 1) text = `${text.slice(0, at)}${dice.pick(TOKENS, ';')}${text.slice(at)}`;
    else if (kind === 2) text = `${text} ${dice.pick(TOKENS, ';')} ${dice.pick(TEMPLATES, 'ok')}`;
    else text = `${text.slice(0, at)} ${dice.pick(TOKENS, ';')} ${text.slice(at)}`;
  }
  return text;
}

/**
 * A judge that does not share our grammar: bash itself. It parses each command with `-n`, then runs it in a subshell where
 * only the covered commands are functions and everything else that is started, or any file that appears, is written down.
 */
export const JUDGE = String.raw`
log=$PWD/log; nowhere=$PWD/nowhere; n=0
mkdir -p work && cd work || exit 1
for name in ok bad; do printf '#!/bin/bash\necho "$0" >> %q\n' "$log" > "$name"; done
printf x > a; chmod +x ok bad
files=$(echo .* *)
# The judge's own read must not be hidden by what it judges: each command runs in a subshell.
while IFS= read -r -d '' command; do
  n=$((n + 1))
  if ! "$BASH" -n -c -- "$command" 2>/dev/null; then printf '%s syntax\0' "$n"; continue; fi
  case $command in *'()'*|*function*) continue;; esac
  : > "$log"
  (
    PATH=$nowhere; calls=0; x=; FUNCNEST=20
    ok() { calls=$((calls + 1)); if [ "$calls" -gt 20 ]; then exit; fi; }
    okb() { ok; }
    command_not_found_handle() { if [ "$*" != env ]; then echo "$1" >> "$log"; fi; return 0; }
    eval "$command"
  ) < /dev/null > /dev/null 2>&1
  while IFS= read -r ran; do
    case " $ALLOWED " in *" $ran "*) ;; *) printf '%s ran %s\0' "$n" "$ran";; esac
  done < "$log"
  if [ "$(echo .* *)" != "$files" ]; then printf '%s wrote\0' "$n"; files=$(echo .* *); fi
done
`;
