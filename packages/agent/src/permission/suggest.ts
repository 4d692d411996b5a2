/**
 * What "always allow" would remember: as little as spares the next question of the same kind, never a whole interpreter.
 * Each suggestion says which scope it is for.
 */
import path from 'node:path';
import { partsOf } from './call-parts.ts';
import type { PermissionUpdate } from './live.ts';
import type { CommandPart, FilePart } from './part.ts';
import type { Authorization, AuthorizeRequest } from './request.ts';
import { parseRule } from './rules/rule.ts';
import { fileAccess } from './rules/tools.ts';
import type { World } from './world.ts';

export function suggestions(
  request: AuthorizeRequest,
  verdict: Authorization,
  world: World,
): readonly PermissionUpdate[] {
  const { tool, input } = request;
  // A rule asked: an allow rule would not spare the question.
  if (verdict.decision !== 'ask' || verdict.rule !== undefined) return [];
  const read = partsOf(request, world);
  if (!read.ok) return [];
  const asked = new Set(verdict.parts.filter(({ decision }) => decision === 'ask').map(({ part }) => part));
  const parts = read.parts.filter(({ shown }) => asked.has(shown));
  if (parts.some((part) => 'concern' in part && part.concern && part.concern.level !== 'outside')) return [];
  const commands = parts.filter((part): part is CommandPart => part.kind === 'command');
  const files = parts.filter((part): part is FilePart => part.kind === 'write' || part.kind === 'remove');
  const prefixes = commands.map(prefixOf);
  const rules = prefixes.flatMap((ruleContent) =>
    ruleContent === undefined ? [] : [{ toolName: 'Bash', ruleContent }],
  );
  // One command that cannot be remembered makes the others worthless.
  if (rules.length < commands.length || rules.length > MOST_RULES) return [];
  return [
    ...(rules.length > 0 ? [added(unique(rules), 'localSettings')] : []),
    ...fileSuggestions(files),
    ...(tool === 'Bash' || fileAccess(tool) ? [] : [otherTool(tool, input)].flat()),
  ];
}

const MOST_RULES = 5;

/** Whoever may run one of these with any argument may run anything. */
const WIDE =
  /^(bash|sh|zsh|dash|ksh|ash|fish|csh|tcsh|pwsh|powershell|python[\d.]*|pypy\d?|node|nodejs|deno|bun|ruby|perl|php|lua|luajit|tclsh|osascript|rscript|ghci|irb|java|go|dotnet|env|sudo|doas|su|runuser|xargs|parallel|npx|bunx|pnpx|uvx|pipx|eval|exec|source|\.|command|builtin|time|timeout|nice|nohup|stdbuf|setsid|watch|ssh|docker|podman|kubectl|find|fd|awk|gawk|mawk|sed|make|just|task|git|npm|pnpm|yarn|tar|rsync|gdb|strace|script|expect|curl|wget|nc|socat|rm|rmdir|mv|cp|dd|chmod|chown|ln|tee|trap|at|crontab|tmux|screen|vim?|nvim|nano|emacs|ed|ex|less|more|man)$/i;

/** With their subcommand they do one kind of thing. */
const SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
  git: /^(status|log|diff|show|add|commit|branch|fetch|pull|stash|tag|blame|switch|restore|merge|cherry-pick|revert|describe|shortlog)$/,
  npm: /^(test|t|ci|install|i|ls|outdated|audit|view|pack)$/,
  pnpm: /^(test|install|i|ls|outdated|audit|build|lint)$/,
  yarn: /^(test|install|list|outdated|audit|build|lint)$/,
  bun: /^(test|install|build)$/,
  go: /^(build|test|vet|fmt|list|mod|version)$/,
  cargo: /^(build|test|check|clippy|fmt|doc|tree|bench)$/,
  dotnet: /^(build|test|restore|format)$/,
  docker: /^(ps|images|logs|inspect|build|pull)$/,
  kubectl: /^(get|describe|logs|top|explain)$/,
  make: /^[a-z][\w-]*$/,
  just: /^[a-z][\w-]*$/,
  deno: /^(test|lint|fmt|check)$/,
};

/** Package managers run the project's own scripts by name. */
const SCRIPTS = /^(npm|pnpm|yarn|bun)$/;

/** The prefix to remember; the whole command where any shorter one would be too wide; none where it cannot be known. */
function prefixOf(part: CommandPart): string | undefined {
  const spelling = part.cover.at(-1);
  if (part.opaque !== undefined || spelling === undefined) return undefined;
  const { canonical } = spelling;
  const words = canonical.split(' ');
  const [name = '', second = '', third = ''] = words;
  // Wildcards in the command itself would become wildcards of the rule.
  if (/[*$`\n\\]/.test(canonical) || name.includes('=') || canonical.length > 200) return undefined;
  if (SCRIPTS.test(name) && second === 'run' && /^[\w:.-]+$/.test(third)) return `${name} run ${third} *`;
  const known = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (known?.test(second)) return `${name} ${second} *`;
  const base = name.slice(name.lastIndexOf('/') + 1);
  if (!WIDE.test(base) && /^[a-z][\w-]*$/.test(second)) return `${name} ${second} *`;
  return parseRule(`Bash(${canonical})`, 'allow').ok ? canonical : undefined;
}

/** A folder for what lies outside, the mode for what lies inside. Both end with the session. */
function fileSuggestions(files: readonly FilePart[]): PermissionUpdate[] {
  if (files.length === 0) return [];
  const outside = files
    .filter(({ concern }) => concern?.level === 'outside')
    .flatMap(({ places }) => places ?? []);
  const folders = [...new Set(outside.map(({ real }) => path.posix.dirname(real)))].filter(
    (folder) => folder !== '/',
  );
  return [
    ...(folders.length > 0
      ? [{ type: 'addDirectories' as const, directories: folders, destination: 'session' as const }]
      : []),
    { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
  ];
}

function otherTool(toolName: string, input: AuthorizeRequest['input']): PermissionUpdate[] {
  const url = input['url'];
  if (toolName === 'WebFetch') {
    if (typeof url !== 'string' || !URL.canParse(url)) return [];
    return [added([{ toolName, ruleContent: `domain:${new URL(url).hostname}` }], 'localSettings')];
  }
  const name =
    toolName === 'Skill' ? input['skill'] : toolName === 'Agent' ? input['subagent_type'] : undefined;
  if (typeof name === 'string') return [added([{ toolName, ruleContent: name }], 'localSettings')];
  return toolName === 'AskUserQuestion' || toolName === 'ExitPlanMode'
    ? []
    : [added([{ toolName }], 'localSettings')];
}

type RuleValue = { readonly toolName: string; readonly ruleContent?: string };

function added(rules: readonly RuleValue[], destination: 'localSettings' | 'session'): PermissionUpdate {
  return { type: 'addRules', rules, behavior: 'allow', destination };
}

function unique(rules: readonly RuleValue[]): RuleValue[] {
  return [...new Map(rules.map((rule) => [rule.ruleContent, rule])).values()];
}
