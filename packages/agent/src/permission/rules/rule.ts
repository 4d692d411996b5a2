/** A rule as written, `Tool` or `Tool(specifier)`, and its source. */
import { pathTool } from './file-tools.ts';

export type RuleSource = 'managed' | 'command line' | 'local' | 'project' | 'user' | 'session';

export type RuleList = 'deny' | 'ask' | 'allow';

export interface PermissionRule {
  readonly text: string;
  readonly source: RuleSource;
  /** The file that contains the rule. */
  readonly file?: string;
  /** The folder that a leading `/` refers to. The default is the first folder of the session. */
  readonly base?: string;
  /** The folder that a relative path refers to. The default is the first folder of the session. */
  readonly root?: string;
}

export type Rules = Readonly<Record<RuleList, readonly PermissionRule[]>>;

export const NO_RULES: Rules = { deny: [], ask: [], allow: [] };

export function joinRules(...all: readonly Rules[]): Rules {
  return {
    deny: all.flatMap(({ deny }) => deny),
    ask: all.flatMap(({ ask }) => ask),
    allow: all.flatMap(({ allow }) => allow),
  };
}

export type ParsedRule =
  | { readonly ok: true; readonly tool: string; readonly specifier: string | undefined }
  | { readonly ok: false; readonly message: string };

/**
 * Parses a rule. Reports a rule that could never match, so that the user does not rely on it. In deny and ask, a path of any
 * tool that accesses files is one of `Read` or `Edit`.
 */
export function parseRule(text: string, list: RuleList): ParsedRule {
  const [, tool = '', inside] = /^([^\s()]+)(?:\(([\s\S]*)\))?$/.exec(text.trim()) ?? [];
  if (tool === '') return { ok: false, message: `${text} is not a rule; write Tool or Tool(specifier)` };
  const current = currentName(tool);
  const isOfFiles = /^(Read|Edit)$/.test(pathTool(current) ?? current);
  const trimmed = isOfFiles && list !== 'allow' ? unquoted(inside?.trim()) : inside?.trim();
  if (trimmed === '') return { ok: false, message: `${text} has empty parentheses; write ${tool}` };
  if (list === 'allow' && tool.includes('*') && !/^mcp__[^*_]+(?:_[^*_]+)*__/.test(tool)) {
    return { ok: false, message: `${text}: an allow rule names its tool; * only follows mcp__server__` };
  }
  const specifier = trimmed === '*' ? undefined : trimmed;
  const isOfPath = specifier !== undefined && !/^[A-Za-z_]\w*:/.test(specifier);
  if (tool === 'Write' && list === 'allow' && specifier !== undefined) {
    return { ok: false, message: `${text} never matches; paths of Write are governed by Edit(${specifier})` };
  }
  const governing = isOfPath && list !== 'allow' ? (pathTool(current) ?? current) : current;
  if (specifier?.startsWith('!') && /^(Read|Edit)$/.test(governing)) {
    return { ok: false, message: `${text}: a pattern cannot be negated; use the opposite list` };
  }
  return { ok: true, tool: governing, specifier };
}

/** In a file, a shell would remove quotes around a pattern. With them, a rule would match nothing. */
function unquoted(specifier: string | undefined): string | undefined {
  return specifier?.replace(/^(["'])([^"']*)\1$/, '$2').trim();
}

/** Former names of tools. Old rules still contain them. */
const CURRENT_NAMES: Readonly<Record<string, string>> = {
  Task: 'Agent',
  KillShell: 'TaskStop',
  KillBash: 'TaskStop',
  BashOutput: 'TaskOutput',
  AgentOutput: 'TaskOutput',
  ListMcpResources: 'ListMcpResourcesTool',
  ReadMcpResource: 'ReadMcpResourceTool',
  MultiEdit: 'Edit',
};

export function currentName(tool: string): string {
  return Object.hasOwn(CURRENT_NAMES, tool) ? (CURRENT_NAMES[tool] ?? tool) : tool;
}
