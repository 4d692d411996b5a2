/** Files of this program with logins: reading one asks, regardless of rules. */
import { HOME, ROOT } from '../world.ts';
import type { Theme } from './theme.ts';

const CONFIG = `${HOME}/.claude`;
const files = [
  `${CONFIG}/fleet/address`,
  `${CONFIG}/fleet/postgres/password`,
  `${CONFIG}/fleet`,
  `${CONFIG}/mcp-auth.json`,
  `${CONFIG}/settings.json`,
  `${ROOT}/a.txt`,
  `${ROOT}/link`,
];

const READING: readonly string[] = [
  'cat ~/.claude/fleet/address',
  `cat ${CONFIG}/fleet/address`,
  'cat ~/.claude/fleet/postgres/password',
  'cat ~/.claude/mcp-auth.json',
  'cat ~/.claude/fleet/*',
  'cat ~/.claude/f*/addr*',
  'cat ~/.claude/mcp*',
  'cat < ~/.claude/fleet/address',
  'cd ~/.claude/fleet && cat address',
  'cd ~/.claude && cat fleet/address',
  'head -c 9 ~/.claude/fleet/address',
  'base64 ~/.claude/fleet/address',
  'rev ~/.claude/../.claude/fleet/address',
  'grep -r postgres ~/.claude',
  'grep -r postgres ~',
  'rg --hidden postgres ~',
  'rg postgres ~/.claude',
  'cp ~/.claude/fleet/address a.txt',
  'tar cf x.tar ~/.claude/fleet',
  'cat link',
  'diff a.txt ~/.claude/fleet/address',
];

const world = { files, links: { [`${ROOT}/link`]: `${CONFIG}/fleet/address` } };

export const LOGINS: readonly Theme[] = [
  { theme: 'a login of the program is not read without a question', world, asked: READING },
  {
    theme: 'a rule does not settle reading a login of the program',
    world,
    rules: { allow: ['Bash', 'Read', 'Read(~/.claude/**)'] },
    asked: READING,
  },
  {
    theme: 'other files of the configuration are read, and names are listed',
    world,
    allowed: [
      'cat ~/.claude/settings.json',
      'ls ~/.claude',
      'find ~/.claude -name address',
      'cat a.txt',
      'grep -r postgres .',
      'rg postgres ~',
      'cat fleet/address mcp-auth.json',
    ],
  },
  {
    theme: 'folders without such files are searched',
    world: { files: [`${CONFIG}/settings.json`] },
    allowed: ['grep -r postgres ~/.claude', 'grep -r postgres ~', 'cat ~/.claude/*'],
  },
];
