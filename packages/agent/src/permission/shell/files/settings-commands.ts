/** Commands that change settings of the user or of the project, without the name of their file: `npm config set x y`. */
import type { ShellWord } from '@heddle/tools/shell';
import { literalWord, partOfWord, type Touch, touch } from './touch.ts';

/** A program, the beginnings of its commands, and the files that they may change. */
const SETTINGS: readonly (readonly [RegExp, RegExp, readonly string[]])[] = [
  [
    /^(npm|pnpm|yarn|bun)$/,
    /^((config|conf|c) (?!get\b|list\b|ls\b)\w|set\b|login|logout|adduser|add-user)/,
    ['~/.npmrc', '.npmrc'],
  ],
  [/^(kubectl|oc)$/, /^(config (?!view|get-|current-context)\w|login|logout)/, ['~/.kube/config']],
  [/^aws$/, /^configure(?! (list|get)\b)/, ['~/.aws/config']],
  [
    /^(docker|podman|nerdctl|helm)$/,
    /^((registry )?log(in|out)|context (use|create|rm|update|import))/,
    ['~/.docker/config.json'],
  ],
  [/^cargo$/, /^log(in|out)/, ['~/.cargo/credentials.toml']],
  [/^go$/, /^env\b.* -[wu]( |$)/, ['~/.config/go/env']],
  [
    /^gh$/,
    /^(alias (set|import|delete)|config set|auth (?!status|token)\w|extension (install|create|upgrade|remove))/,
    ['~/.config/gh/config.yml'],
  ],
  [/^pip[\d.]*$/, /^config (set|unset|edit)/, ['~/.config/pip/pip.conf']],
  [/^poetry$/, /^config\b(?!.* --list)/, ['~/.config/pypoetry/config.toml']],
  [/^(conda|mamba)$/, /^config\b.* --(set|add|append|prepend|remove)/, ['~/.condarc']],
  [/^composer$/, /^(global )?config\b.* (-\w*g|--global|--auth)/, ['~/.config/composer/config.json']],
  [/^bundle$/, /^config (set|unset|--global|--local)/, ['~/.bundle/config']],
  [/^crontab$/, /^(?!(-u \w+ )?-l( |$))/, ['/var/spool/cron/crontabs/user']],
];

/** After one of these commands, the same words mean something else: `npm run set x`. */
const OTHER_COMMANDS =
  /^(run|run-script|exec|dlx|test|start|install|i|ci|add|remove|view|create|init|get|describe|logs|apply|delete|compose|build|ps|pull|push|s3|ec2)\b/;

/** Returns the files with settings that a command changes. Options can be before it: `npm --location=project config set`. */
export function changedSettings(program: string, args: readonly ShellWord[]): Touch[] {
  const change = SETTINGS.find(([programs]) => programs.test(program));
  if (change === undefined) return [];
  const [, commands, files] = change;
  const all = args.map(({ value }) => value);
  const from = all.findIndex((value) => !value.startsWith('-'));
  const verbs = all.filter((value) => !value.startsWith('-')).join(' ');
  const isCommand = [all.join(' '), all.slice(Math.max(from, 0)).join(' ')].some((text) =>
    commands.test(text),
  );
  // The value of an option can be before the command: `kubectl -n x config use-context y`.
  const anywhere = new RegExp(commands.source.replace('^', '(?:^| )'));
  const mayBeCommand =
    /^(npm|pnpm|yarn|bun|kubectl|oc|docker|podman|aws)$/.test(program) &&
    !OTHER_COMMANDS.test(verbs) &&
    anywhere.test(verbs);
  return isCommand || mayBeCommand
    ? files.map((file) => touch('write', partOfWord(literalWord(file), file)))
    : [];
}
