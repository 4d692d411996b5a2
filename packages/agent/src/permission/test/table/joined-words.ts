/** Programs that join their words to a script for a shell. */
import type { Theme } from './theme.ts';

const PROGRAMS =
  'watch viddy ssh slogin rsh autossh sshpass mosh pdsh clush parallel sem git tmux screen watchexec nodemon env sudo timeout find xargs adb heroku';
const allow = PROGRAMS.split(' ').map((program) => `Bash(${program} *)`);

const DENIED: readonly string[] = [
  String.raw`watch r\\m x`,
  `watch 'r""m' x`,
  String.raw`watch -n 1 r\\m x`,
  String.raw`watch -n1 -d r\\m x`,
  `watch true ';' 'r""m' x`,
  `watch '{rm,x}'`,
  String.raw`env watch r\\m x`,
  String.raw`timeout 5 watch r\\m x`,
  String.raw`viddy r\\m x`,
  String.raw`ssh h r\\m x`,
  String.raw`ssh -p 22 me@h r\\m x`,
  String.raw`ssh -tt h r\\m x`,
  `ssh h 'r""m' x`,
  String.raw`ssh h 'cd /x;' r\\m y`,
  `ssh h '{rm,x}'`,
  `ssh h "'r'm" x`,
  String.raw`slogin h r\\m x`,
  String.raw`autossh h r\\m x`,
  String.raw`sshpass -p y ssh h r\\m x`,
  String.raw`sudo ssh h r\\m x`,
  String.raw`find . -exec ssh h r\\m {} \;`,
  String.raw`pdsh -w h r\\m x`,
  String.raw`clush -w h r\\m x`,
  String.raw`parallel r\\m ::: x`,
  String.raw`parallel -j1 r\\m ::: x`,
  String.raw`parallel ::: 'r\m x'`,
  String.raw`sem r\\m x`,
  String.raw`git submodule foreach r\\m x`,
  `git submodule foreach 'r""m' x`,
  String.raw`git -C . submodule --quiet foreach --recursive r\\m x`,
  String.raw`tmux new -d r\\m x`,
  String.raw`watchexec r\\m x`,
  "ssh h <<'E'\nr\\m x\nE",
  "ssh h <<< 'r\\m x'",
];

export const JOINED_WORDS: readonly Theme[] = [
  {
    theme: 'a denied command is found in the words that a program joins to a script',
    rules: { allow, deny: ['Bash(rm:*)'] },
    allowed: [
      'watch ls',
      'watch -n 1 git status',
      "watch 'ls | wc -l'",
      'ssh h',
      'ssh h uptime',
      'ssh -p 22 me@h df -h',
      "ssh h 'cd /x && ls'",
      'ssh -N -L 1:h:2 h',
      'ssh -T git@github.com',
      'ssh h cat x < f',
      'tmux new -d ls',
      'adb devices',
      'heroku logs',
    ],
    asked: [
      String.raw`heroku run r\\m x`,
      String.raw`adb shell r\\m x`,
      `ssh h 'a "b'`,
      'ssh h < f',
      'ssh -p 22 h < f',
      'ssh -T h < f',
      'ssh h <<E\n$x\nE',
      'cat f | ssh h',
      'sshpass -p y ssh h < f',
    ],
    denied: DENIED,
  },
  {
    theme: 'without a rule about commands, a rule for such a program covers its words',
    rules: { allow },
    allowed: [String.raw`watch r\\m x`, String.raw`ssh h r\\m x`, 'ssh h < f'],
  },
];
