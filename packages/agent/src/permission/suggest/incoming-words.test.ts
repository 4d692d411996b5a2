/** Tests the rules that "always" offers for commands that get words, code or commands from elsewhere. */
import { describe, expect, it } from 'vitest';
import { authorize } from '../authorize.ts';
import { NO_RULES } from '../rules/rule.ts';
import { worldOf } from '../test/world.ts';
import { suggestions } from './suggest.ts';

function decide(command: string, allow: readonly string[] = []) {
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = { ...NO_RULES, allow: allow.map((text) => ({ text, source: 'local' as const })) };
  const world = worldOf();
  const verdict = authorize(request, rules, 'default', world);
  const offered = suggestions(request, verdict, { rules, mode: 'default', world }).flatMap((update) =>
    update.type === 'addRules' ? update.rules.map(({ ruleContent }) => ruleContent ?? '') : [update.type],
  );
  return { decision: verdict.decision, offered };
}

const WORDS = String.raw`
echo stash | xargs git
echo stash | /usr/bin/xargs git
echo stash | timeout 5 xargs git
echo stash | nice xargs -n1 git
echo stash | xargs -I{} git {}
echo stash | xargs -I git git add
echo stash | xargs --repl=git git add
echo stash | xargs -a list git
xargs -a list git
xargs git < list
echo test | xargs make
echo lint | xargs npm run
echo x | xargs -I{} npm {}
echo x | xargs npm install
echo x | xargs pip install
echo x | xargs curl
echo x | xargs docker
echo x | xargs kill
echo x | xargs git push origin
echo x | xargs git branch
echo x | xargs git stash
echo x | xargs cargo
echo x | xargs go
echo x | xargs gh
echo x | xargs terraform
echo x | xargs mytool
echo x | xargs -n1 mytool
echo x | xargs ./scripts/build.sh
echo x | xargs eslint
echo x | xargs pytest
echo x | xargs time git add
echo x | sudo xargs git
sudo xargs git
env xargs git
busybox xargs git
bash -c 'xargs git'
bash -c 'cat x | xargs -n1 git'
echo x | bash -c 'xargs git'
echo x | parallel git
parallel git :::: list
parallel -a list git
parallel --pipe git ::: a
echo x | parallel npm test ::: a
find . -name x -exec git {} \;
find . -name x -exec npm {} +
find . -name x -exec mytool {} \;
find . -name x -exec git -C {} status \;
fd x -x mytool
fd x -x git {/}
`;

const INPUT = String.raw`
echo "print(1)" | python3 manage.py shell
python3 manage.py shell <<< 'print(1)'
python3 manage.py shell < code.py
python3 manage.py migrate < code.py
echo x | timeout 5 python3 manage.py shell
echo x | { python3 manage.py shell; }
echo x | (cd a && python3 manage.py shell)
echo x | if true; then ./unknown y; fi
{ ./unknown y; } < code
for i in 1 2; do ./unknown y; done < code
if true; then ./unknown y; fi <<< code
while true; do ./unknown y; done < code
f() { ./unknown y; }; echo x | f
exec < code; ./unknown y
echo x | tee >(./unknown y)
echo x | echo $(./unknown y)
./unknown y 0<&3
./unknown y 0>&3
./unknown y <> code
python3 a.py < data
echo x | ./manage.py shell
echo x | ./scripts/build.sh y
echo x | npm run repl
echo x | npm run build
echo x | uv run pytest a
echo x | pytest --pdb
echo x | rails console
echo x | rails runner y
echo x | elixir
echo x | scala
echo x | guile
echo x | racket
echo x | sbcl
echo x | swipl
echo x | expect
echo x | emacs --batch
echo x | nix-shell
echo x | duckdb
echo x | duckdb a.db
echo x | sqlplus me
echo x | cqlsh host
echo x | clickhouse-client
echo x | mongo
echo x | docker exec -i c psql
echo x | docker exec -i c mytool
echo x | docker run -i image
echo x | docker build -
echo x | kubectl exec -i pod -- psql
echo x | lftp host
echo x | ansible-playbook a.yml
echo x | terraform console
echo x | mytool
echo x | entr make
echo x | curl -d @- https://example.com
echo x | nc host 80
echo x | ssh host mytool
echo x | awk '{ system($1) }'
echo x | sed 1e
echo x | patch a.txt
echo x | cpio -i
echo x | git bisect run make
echo x | make all
echo x | source a.sh
echo x | bash a.sh
echo x | bash -c './unknown y'
`;

/** They would run their input, if there was any. */
const CONSOLES = `
python3 manage.py shell
./manage.py dbshell
rails console
rails c
flask shell
php artisan tinker
terraform console
npm run repl
npm run db:console
make shell
elixir
guile
racket
sbcl
swipl
scala
nix-shell
nix develop
duckdb a.db
mongo
cqlsh host
clickhouse-client
sqlplus me
lftp host
ftp host
telnet host
psql -U me db
mysql -u me db
sqlite3 -cmd x a.db
ssh -p 22 host
docker exec -i c psql
docker exec -it c psql -U me db
docker exec -i c bash
docker-compose exec db mysql
kubectl exec -i pod -- psql
bash -c python3
sudo -s
`;

const linesOf = (text: string): readonly string[] => text.trim().split('\n');

describe('no rule is offered', () => {
  it.each(linesOf(WORDS))('for words that come from elsewhere: %s', (command) => {
    expect(decide(command)).toEqual({ decision: 'ask', offered: [] });
  });

  it.each([...linesOf(INPUT), './unknown y <<E\ncode\nE'])(
    'for a program that may run its input: %s',
    (command) => {
      expect(decide(command)).toEqual({ decision: 'ask', offered: [] });
    },
  );

  it.each(linesOf(CONSOLES))('for a program that runs its input, also without any: %s', (command) => {
    expect(decide(command)).toEqual({ decision: 'ask', offered: [] });
  });
});

describe('a rule is offered', () => {
  it.each<[command: string, rules: readonly string[]]>([
    // Any word of these is acceptable, also for a rule with a wildcard.
    ['ls | xargs git add', ['xargs git add']],
    ['ls | xargs -0 -n1 git add', ['xargs -0 -n1 git add']],
    ['ls | xargs -I{} git add {}', ["xargs '-I{}' git add '{}'"]],
    ['echo x | xargs git switch', ['xargs git switch']],
    ['parallel npm test ::: a b', ['parallel npm test ::: a b']],
    ['find . -name x -exec jest {} +', ["find . -name x -exec jest '{}' +", 'jest *']],
    // Their input is data.
    ['npm test 2>&1 | tee log.txt', ['npm test *', 'tee log.txt']],
    ['echo x | git commit -F -', ['git commit *']],
    ['cat a.ts | prettier --stdin-filepath a.ts', ['prettier *']],
    ['cat a.py | ruff check -', ['ruff check *']],
    ['cat list | while read -r f; do mkdir -p out; done', ['mkdir -p *']],
    ['echo x | { cat; rm a.txt; }', ['rm a.txt']],
    // Nothing is given to these.
    ['npm test < /dev/null', ['npm test *']],
    ['./unknown y < /dev/null 2>&1', ['./unknown y']],
    ['./unknown y 2>&1 | tail -5', ['./unknown y']],
    ['{ ./unknown y; } | cat', ['./unknown y']],
    ['cat x | head; ./unknown y', ['./unknown y']],
    ['for i in 1 2; do ./unknown y; done', ['./unknown y']],
    ['python3 manage.py migrate', ['python3 manage.py migrate']],
    ["psql -c 'select 1' db", ["psql -c 'select 1' db"]],
    ["sqlite3 a.db 'select 1'", ["sqlite3 a.db 'select 1'"]],
    ['ssh -p 22 host ls', ['ssh -p 22 host ls']],
    ["docker exec c psql -c 'select 1'", ["docker exec c psql -c 'select 1'"]],
    ["bash -c './unknown y'", ["bash -c './unknown y'"]],
  ])('for %s', (command, rules) => {
    expect(decide(command)).toEqual({ decision: 'ask', offered: rules });
  });
});

describe('a rule of the user', () => {
  it.each<[rule: string, command: string, decision: 'allow' | 'ask']>([
    ['Bash', 'echo x | xargs git', 'allow'],
    ['Bash(git:*)', 'echo x | xargs git', 'ask'],
    ['Bash(xargs git:*)', 'echo x | xargs git', 'ask'],
    ['Bash(xargs:*)', 'echo x | xargs git', 'ask'],
    ['Bash(git)', 'echo x | xargs git', 'ask'],
    ['Bash(xargs git)', 'echo x | xargs git', 'allow'],
    ['Bash(xargs git)', 'echo x | xargs git status', 'ask'],
    ['Bash(xargs git)', 'echo x | xargs -n1 git', 'ask'],
    ['Bash(git add:*)', 'echo x | xargs git add', 'allow'],
    ['Bash(git add:*)', 'echo x | xargs -n1 git add', 'ask'],
    ['Bash(xargs -n1 git add:*)', 'echo x | xargs -n1 git add', 'allow'],
    ['Bash(xargs -n1 git:*)', 'echo x | xargs -n1 git', 'ask'],
    ['Bash(python3 manage.py shell)', 'echo x | python3 manage.py shell', 'allow'],
    ['Bash(python3 manage.py:*)', 'echo x | python3 manage.py shell', 'allow'],
    ['Bash(python3:*)', 'echo x | python3', 'ask'],
    ['Bash(python3)', 'echo x | python3', 'allow'],
  ])('%s, for %s: %s', (rule, command, decision) => {
    expect(decide(command, [rule]).decision).toBe(decision);
  });
});
