/** Programs that make folders equal remove files. */
import { ROOT } from '../world.ts';
import type { Theme } from './theme.ts';

const files = [
  '.',
  'src/.',
  'src/a',
  'src/lib/a',
  'out/.',
  'out/a',
  'lib/.',
  'lib/.vscode/tasks.json',
  'config/.',
  'config/a.yml',
  'app/.',
  'app/src/.',
  'app/src/a',
  'app/.npmrc',
].map((file) => `${ROOT}/${file}`);
const allow = ['rsync', 'rclone', 'unison'].map((program) => `Bash(${program} *)`);

export const SYNCHRONIZED: readonly Theme[] = [
  {
    theme: 'a program that makes folders equal removes no protected file',
    rules: { allow },
    world: { files },
    allowed: [
      'rsync -a src/ lib/',
      'rsync -a --delete src/ out/',
      'rsync -a --delete src app',
      'rsync -a --delete src/ host:lib/',
      'rsync -a --remove-source-files src/ out/',
      'rsync -ab --backup-dir=old src/ out/',
      'rsync -ab --suffix=.old src/ out/',
      'rclone copy src out',
      'rclone sync src out',
      'rclone sync lib remote:x',
      'unison src out',
    ],
    asked: [
      'rsync -a --delete src/ lib/',
      'rsync -a --delete src/ lib',
      'rsync -a --delete-after src/. lib',
      'rsync -a --delete-excluded src/ lib/',
      'rsync -a --del src/ lib/',
      'rsync -a --delete host:src/ lib/',
      'rsync -aR --delete src/ app',
      'rsync -a --delete src/ .',
      'rsync -a --delete src/ app',
      'rsync -a --unknown x --delete src/ lib/',
      'rsync -a --remove-source-files lib/ out/',
      'rsync -a --remove-source-files lib/ host:out/',
      'rsync -a --remove-sent-files lib/ out/',
      'rsync -ab --suffix=rc src/ out/',
      'rsync -ab --backup-dir=../.vscode src/ out/',
      'rclone sync src lib',
      'rclone move lib out',
      'rclone move lib remote:x',
      'rclone delete lib',
      'rclone purge lib',
      'rclone bisync lib src',
      'unison lib src',
      'unison src lib',
    ],
  },
  {
    theme: 'a program that makes folders equal removes no file that may not be edited',
    rules: { allow, deny: ['Edit(./config/**)'] },
    world: { files },
    allowed: ['rsync -a config/ out/', 'rsync -a --delete config/ out/', 'rsync -a --delete src/ out/'],
    denied: [
      'rsync -a --remove-source-files config/ out/',
      'rsync -a --remove-source-files config host:out/',
      'rsync -a --delete src/ config/',
    ],
  },
];
