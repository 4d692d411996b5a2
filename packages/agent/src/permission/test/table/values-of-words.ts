/** Options and names of commands that a variable or a glob gives to a program. */
import { ROOT } from '../world.ts';
import type { Theme } from './theme.ts';

const file = (name: string): string => `${ROOT}/${name}`;

export const VALUES_OF_WORDS: readonly Theme[] = [
  {
    theme: 'an option in a variable is that option',
    rules: {
      allow: 'find git make npm docker go cargo python3 rsync'.split(' ').map((name) => `Bash(${name}:*)`),
    },
    world: { files: [file('tools/evil.sh'), file('q'), file('src/a.ts'), file('Makefile')] },
    asked: [
      String.raw`o=-exec; find . $o ./tools/evil.sh \;`,
      String.raw`o=exec; find . -$o ./tools/evil.sh \;`,
      'o=-fprint; find . $o .npmrc',
      'o=-fprint; find q $o ../out/fp',
      'for o in -ls -fprint; do find q $o .npmrc; done',
      'o=-c; git $o core.fsmonitor=./x status',
      'o=run; git bisect $o ./tools/evil.sh',
      'x=\'SHELL=./tools/evil.sh\'; make "$x"',
      'x=\'X!=touch PWN\'; make "$x"',
      'x=./tools/evil.sh; make SHELL=$x',
      'x=\'touch PWN\'; make "X!=$x"',
      'o=--script-shell=./tools/evil.sh; npm run build "$o"',
      'o=script-shell; npm run build --$o=./x',
      'o=--privileged; docker run $o img',
      'sudo= o=--privileged; docker run $o img',
      'for a in -x -y; do for o in --rm --privileged; do docker run $o img; done; done',
      'o=-toolexec=./x; go build $o',
      'o=-e; rsync -a $o ./x src h:y',
      'x=s; x1=../out; make -C $x1[a]',
    ],
    allowed: [
      'x=src; make "$x"',
      'x=a.o; make $x',
      'for x in a b c; do make "$x"; done',
      'o=-name; find src $o a.ts',
      'x=test; npm run $x',
      'o=--rm; docker run $o img',
      'b=main; git switch $b',
    ],
  },
  {
    theme: 'a glob gives the names of files to a program, also if they are options',
    rules: { allow: ['make', 'npm run', 'docker', 'zip', 'git'].map((name) => `Bash(${name}:*)`) },
    world: {
      files: [
        'X!=touch PWN8',
        'SHELL=./tools/s9.sh',
        '--script-shell=./tools/evil.sh',
        '--privileged',
        'z/-T',
        'z/-TTtouch PWN;',
        'z/a',
        'g/-Osh',
        'g/m.txt',
        'src/a.ts',
        'src/b.ts',
      ].map(file),
    },
    asked: [
      'make X*',
      'make *',
      'make S*/tools/s9.sh',
      'npm run build --s*/tools/evil.sh',
      'docker run --priv* img',
      'docker run *',
      'cd z && zip x.zip *',
      'cd g && git grep -e foo *',
    ],
    allowed: ['make src/*', 'zip x.zip src/*', 'git add src/*'],
  },
  {
    theme: 'a glob or a variable may be the name of a denied command',
    rules: {
      allow: ['Bash(git:*)', 'Bash(npm:*)', 'Bash(docker:*)', 'Bash(sudo:*)', 'Bash(touch:*)'],
      deny: ['Bash(git push:*)', 'Bash(git pull:*)', 'Bash(npm publish:*)', 'Bash(docker push:*)'],
    },
    world: { files: [file('push'), file('publish'), file('a.ts')] },
    denied: [
      'git p?sh',
      'git p?sh origin main',
      'git pus* --force',
      'git [p]ush',
      'git -C . p?sh',
      'npm publis?',
      'npm pub*',
      'docker p?sh x',
      'for x in status push; do git $x; done',
      'x=push; git $x',
      'x=; git $x push origin',
      "npm exec -c 'git p?sh'",
    ],
    asked: ['touch pull; git pul?', 'git pul? & touch pull'],
    allowed: ['git add *.ts', 'git add a?ts', 'touch a; git add a*'],
  },
];
