/** Code that a program gets through a pipe, or in its words. */
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';

const ALLOW =
  'echo printf cat terraform gcc groff duckdb cmake nix rails R docker mytool python3 kubectl sudo grep tee';
const PIPED: Setting = {
  rules: { allow: ALLOW.split(' ').map((name) => `Bash(${name}:*)`), deny: ['Read(./.env)'] },
};

describe('a pipe from a command that prints a known text', () => {
  it.each([
    `echo 'file(".env")' | terraform console`,
    `terraform console <<< 'file(".env")'`,
    `echo '#include ".env"' | gcc -E -P -`,
    `echo '.so .env' | groff -Tascii`,
    `echo "select * from '.env'" | duckdb`,
    `echo 'file(READ .env x)' | cmake -P /dev/stdin`,
    `echo 'builtins.readFile ./.env' | nix repl`,
    `echo 'puts 1' | rails console`,
    `echo 'x' | R --no-save`,
    `{ echo a; printf 'b\\n'; } | terraform console`,
    `cat <<X | terraform console\nfile("a")\nX`,
    `echo a | cat | terraform console`,
    `printf 'services: {x: {privileged: true}}' | docker compose -f - up`,
    `printf 'services: {}' | docker stack deploy -c - x`,
    `printf 'target: {}' | docker buildx bake -f -`,
    'echo 1 | mytool',
  ])('counts like a here-string: %s', (command) => {
    expect(shell(command, PIPED).decision).toBe('ask');
  });

  it.each([
    'echo x | grep x',
    'echo x | cat',
    'echo x | python3 a.py',
    `echo '{}' | kubectl apply -f -`,
    'echo x | sudo tee src/b.ts',
    'mytool < /dev/null',
  ])('needs no question for a program whose input is data: %s', (command) => {
    expect(shell(command, PIPED).decision).toBe('allow');
  });

  it('counts among the files of a rule', () => {
    const rules = { allow: ['Bash'], deny: ['Read(./.env)'] };
    expect(shell(`echo 'file(".env")' | terraform console`, { rules }).decision).toBe('ask');
    expect(shell(`echo 'file("a")' | terraform console`, { rules }).decision).toBe('allow');
  });
});

describe('a query for sqlite3 or duckdb', () => {
  const rules = { allow: ['Bash(sqlite3:*)', 'Bash(duckdb:*)'] };

  it.each([
    `sqlite3 :memory: "select name,data from fsdir('.') where name like './.e%'"`,
    `sqlite3 :memory: "select * from fsdir where path='.'"`,
    `sqlite3 :memory: "select \\"fsdir\\" ('.')"`,
    `sqlite3 :memory: "select 1 -- '\nfrom lsdir('.')"`,
    `sqlite3 :memory: "select future_function('x')"`,
    `sqlite3 :memory: ".parameter set @a readfile('x')"`,
    `sqlite3 a.db "create virtual table t using csv(filename='x')"`,
    `sqlite3 a.db ".import x t"`,
    `duckdb -c "select * from read_text('.e*')"`,
    `duckdb -c "select * from glob('*')"`,
    `duckdb -c "select * from '.e*'"`,
    `duckdb -c "copy t to 'x'"`,
  ])('asks beside a rule about files, if it may open one: %s', (command) => {
    expect(shell(command, { rules: { ...rules, deny: ['Read(./.env)'] } }).decision).toBe('ask');
    const setting: Setting = { rules: { deny: ['Read(./.env)'] }, mode: 'bypassPermissions' };
    expect(shell(command, setting).decision).toBe('ask');
  });

  it.each([
    `sqlite3 a.db "select count(*), max(x), date('now'), json_extract(a,'$.b') from t"`,
    `sqlite3 a.db "insert into t(a,b) values (1,2)"`,
    `sqlite3 a.db "create table if not exists t(a integer primary key, b varchar(20), c references u(id))"`,
    `sqlite3 a.db "create unique index i on t(a)"`,
    `sqlite3 a.db "with recursive c(x) as (select 1 union all select x+1 from c limit 5) select x from c"`,
    `sqlite3 -header a.db "select row_number() over (partition by a order by b) from t left join u using (id)"`,
    `sqlite3 a.db "select 'fsdir(' from t where x in (1,2)"`,
    'sqlite3 a.db .tables',
    'sqlite3 a.db ".schema t"',
    'sqlite3 a.db ".mode csv" "select load from cpu"',
    'duckdb a.db "select count(*) from t"',
  ])('needs no question, if it opens none: %s', (command) => {
    expect(shell(command, { rules: { ...rules, deny: ['Read(./.env)'] } }).decision).toBe('allow');
  });
});
