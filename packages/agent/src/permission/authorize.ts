/**
 * May this call run? One pure function for every surface; the answer always says why. Deny beats ask beats allow, whatever
 * the source.
 */
import type { JsonObject, PermissionMode } from '@heddle/core';

export interface AuthorizeRequest {
  readonly tool: string;
  readonly input: JsonObject;
  /** The tool proves that this very call changes nothing. */
  readonly readOnly: boolean;
  /** A hook's word: its allow only spares the question. */
  readonly hookDecision: 'allow' | 'ask' | undefined;
}

export type RuleSource = 'managed' | 'command line' | 'local' | 'project' | 'user' | 'session';

export interface Rule {
  /** `Tool` or `Tool(specifier)`. */
  readonly text: string;
  readonly source: RuleSource;
}

export interface Rules {
  readonly deny: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly allow: readonly Rule[];
}

export const NO_RULES: Rules = { deny: [], ask: [], allow: [] };

export interface Authorization {
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly reason: string;
  /** The rule that decided, and where it stands. */
  readonly rule?: string;
  readonly source?: RuleSource;
}

export function authorize(request: AuthorizeRequest, rules: Rules, mode: PermissionMode): Authorization {
  const denied = rules.deny.find((rule) => matches(rule, request));
  if (denied) return byRule('deny', denied);
  const asked = rules.ask.find((rule) => matches(rule, request));
  if (asked)
    return mode === 'dontAsk' ? refuse('The mode dontAsk denies what would be asked.') : byRule('ask', asked);
  if (mode === 'plan' && !request.readOnly) return refuse('Plan mode: nothing with effects runs.');
  if (mode === 'bypassPermissions') return permit('The mode bypassPermissions allows it.');
  const allowed = rules.allow.find((rule) => matches(rule, request));
  if (allowed) return byRule('allow', allowed);
  if (request.readOnly) return permit('It changes nothing.');
  if (request.hookDecision === 'allow') return permit('A hook allowed it.');
  if (mode === 'dontAsk') return refuse('The mode dontAsk denies what would be asked.');
  return { decision: 'ask', reason: `No rule allows ${request.tool} to run unasked.` };
}

/** A rule for the whole tool, or for exactly this command or file. */
function matches({ text }: Rule, { tool, input }: AuthorizeRequest): boolean {
  if (text === tool || text === `${tool}(*)`) return true;
  const main = input['command'] ?? input['file_path'];
  return typeof main === 'string' && text === `${tool}(${main})`;
}

function byRule(decision: Authorization['decision'], { text, source }: Rule): Authorization {
  return { decision, rule: text, source, reason: `The ${source} rule ${text} says ${decision}.` };
}

function permit(reason: string): Authorization {
  return { decision: 'allow', reason };
}

function refuse(reason: string): Authorization {
  return { decision: 'deny', reason };
}
