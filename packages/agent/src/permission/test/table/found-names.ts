/** Names that the commands of `find`, `fd` and `xargs` build from what is found, and files beside the found ones. */
import { CLEAN_GIT } from '../world.ts';
import type { Theme } from './theme.ts';

const inProject = (names: string): string[] => names.split(' ').map((name) => `/repo/project/${name}`);
const rulesFor = (programs: string): string[] => programs.split(' ').map((program) => `Bash(${program} *)`);

const BUILT_READS: readonly string[] = [
  String.raw`find . -exec cat {}nv \;`,
  String.raw`find src -exec cat {}/../../.env \;`,
  String.raw`find e -exec cat .{}{} \;`,
  String.raw`find e -exec cat {}{} \;`,
  String.raw`find src -execdir cat .{} \;`,
  'fd foo src -x cat x{/}',
  'fd foo src -x cat {/.}',
  'fd foo src -x cat {/}',
  'fd env src -x cat .{/}',
  'fd nv -x cat .e{}',
  'fd e -x cat {}{}',
  'fd foo -x cat {.}v',
  'ls src | xargs -I{} cat .e{}',
  'ls src | xargs -I% head %v',
  'ls src | xargs -I% cat src/%',
];

const DENIED_READS: readonly string[] = [
  String.raw`find ./.en -exec cat {}v \;`,
  String.raw`find .e -exec cat {}nv \;`,
  String.raw`find env -exec cat .{} \;`,
  String.raw`find nv -exec head -n 1 .e{} \;`,
  String.raw`find nv -exec grep -H x ./.e{} \;`,
  String.raw`find .en -execdir cat {}v \;`,
  "find .en -name '.e*' -exec cat {}v +",
  'fd foo -x cat {//}/.env',
  'fd foo -x cat {}/../.env',
];

export const FOUND_NAMES: readonly Theme[] = [
  {
    theme: 'a name that is built from a found one, beside a rule about reading',
    rules: { deny: ['Read(./.env)'] },
    world: { git: CLEAN_GIT, files: inProject('a src/x .env .en/x env e/a') },
    allowed: [
      String.raw`find src -exec cat {} \;`,
      String.raw`find src -exec cat {}v \;`,
      String.raw`find src -exec cat x{} \;`,
      String.raw`find src -exec grep -l foo {}/package.json \;`,
      "find src -name '*.c' -exec grep -H foo {} +",
      String.raw`find .en -name x -exec cat {}v \;`,
    ],
    asked: BUILT_READS,
    denied: DENIED_READS,
  },
  {
    theme: 'a name that is built from a found one, beside a rule about reading, with rules for the programs',
    rules: { deny: ['Read(./.env)'], allow: rulesFor('find fd cat head grep xargs cp diff mytool') },
    world: { git: CLEAN_GIT, files: inProject('a src/x .env .en/x env e/a') },
    allowed: [
      String.raw`find src -exec cp {} {}.bak \;`,
      String.raw`find src -exec diff {} {}.orig \;`,
      String.raw`find src -exec mytool --in={}v \;`,
      'fd foo src -x cat {.}v',
      'fd foo src -x cp {} {.}.bak',
    ],
    asked: BUILT_READS,
    denied: [...DENIED_READS, String.raw`find .en -exec mytool --in={}v \;`],
  },
  {
    theme: 'a file beside a found one, beside a rule about edits',
    rules: {
      deny: ['Edit(./.env)', 'Edit(./src/deep/k)'],
      allow: rulesFor('find fd sed gunzip gzip xz bzip2 cp touch'),
    },
    world: { files: inProject('a src/x src/deep/k.gz lib/a.gz .en/x env') },
    allowed: [
      "find . -name '*.tar.gz' -exec gunzip {} \\;",
      String.raw`find lib -exec gunzip {} \;`,
      "find . -name '*.log' -exec gzip {} +",
      'fd -e gz . lib -x gunzip',
    ],
    asked: [
      String.raw`find src -exec gunzip {} \;`,
      String.raw`find . -exec gzip -d {} \;`,
      "find . -name '*.gz' -exec gunzip -f {} +",
      String.raw`find . -exec xz -d {} \;`,
      'fd -e gz -x gunzip',
      'fd -e gz . src -X gunzip -f',
    ],
    denied: [
      String.raw`find ./.en -exec sed -i s/a/b/ {}v \;`,
      String.raw`find .en -exec cp a {}v \;`,
      String.raw`find env -exec touch .{} \;`,
    ],
  },
  {
    theme: 'a protected file beside a found one',
    rules: { allow: rulesFor('find fd gunzip gzip xz bzip2 zstd') },
    world: { files: inProject('a src/x src/deep/.npmrc.gz lib/.npmrc logs/a.log logs/b.gz') },
    allowed: [
      "find . -name '*.log' -exec gzip {} \\;",
      String.raw`find logs -exec gunzip {} \;`,
      "find . -name '*.xz' -exec gunzip -f {} \\;",
      'fd -e gz -x gunzip',
    ],
    asked: [
      String.raw`find src -exec gunzip {} \;`,
      String.raw`find . -exec gunzip {} +`,
      "find . -name '*.gz' -exec gzip -d {} \\;",
      String.raw`find . -exec bzip2 -d {} \;`,
      String.raw`find lib -exec gzip {} \;`,
      String.raw`find . -exec zstd --rm {} +`,
      'fd -H -e gz -x gunzip',
      'fd -u . src -X xz -d',
    ],
  },
];
