/** Events of hooks that other parts of the program cause: a command is expanded, the model changes, a server asks the user. */
import type { Changes, ExpandedPrompt, LivePermissions } from '@heddle/agent';
import { text, type UserMessage } from '@heddle/core';
import { type ClientServices, readElicitation } from '@heddle/mcp';
import type { SessionHooks } from './session-hooks.ts';

type Content = UserMessage['content'];
type Elicit = NonNullable<ClientServices['elicit']>;

/** `/name words`, if a file or a server has a prompt of this name. */
const COMMAND_LINE = /^\/([^\s/]+)(?:\s+([^]*))?$/;

/** Asks hooks before a command becomes its text. `isKnown` tells whether a file has a command of this name. */
export async function beforeExpansion(
  hooks: SessionHooks,
  content: Content,
  isKnown: (name: string) => boolean,
  signal: AbortSignal,
): Promise<Pick<ExpandedPrompt, 'block' | 'context'>> {
  if (!hooks.runner.has('UserPromptExpansion')) return {};
  const [first] = typeof content === 'string' ? [text(content)] : content;
  const prompt = first?.type === 'text' ? first.text.trim() : '';
  const [, name = '', words = ''] = COMMAND_LINE.exec(prompt) ?? [];
  const isOfServer = name.startsWith('mcp__');
  if (!isOfServer && !isKnown(name)) return {};
  const input = {
    expansion_type: isOfServer ? 'mcp_prompt' : 'slash_command',
    command_name: name,
    command_args: words,
    prompt,
  };
  const { block, stop, context } = await hooks.report('UserPromptExpansion', input, signal);
  return { block: block ?? stop, context };
}

export interface ModelSwitch {
  readonly from: string;
  readonly to: Changes & { readonly modelName: string };
  /** The name that the user or the host gave. */
  readonly requested: string;
  readonly source: 'command' | 'host';
}

export type ModelHooks = Pick<SessionHooks, 'report' | 'reportAndRemark'>;

/** Changes the model unless a hook prevents it. Returns the reason then. */
export async function switchModel(
  hooks: ModelHooks,
  wanted: ModelSwitch,
  change: () => void,
): Promise<string | undefined> {
  const asked = await askToSwitch(hooks, wanted, change);
  if (asked.ok) asked.apply();
  return asked.ok ? undefined : asked.reason;
}

type AskedSwitch =
  | { readonly ok: true; readonly apply: () => void }
  | { readonly ok: false; readonly reason: string };

/** Asks hooks whether the model may change. It changes when `apply` is called. */
export async function askToSwitch(
  hooks: ModelHooks,
  { from, to, requested, source }: ModelSwitch,
  change: () => void,
): Promise<AskedSwitch> {
  const input = { from_model: from, to_model: to.modelName, requested_model: requested, source };
  const { decision, reason, block, stop } = await hooks.report('PreModelSwitch', input);
  const prevented = block ?? stop ?? (decision === 'deny' ? (reason ?? 'A hook denied it.') : undefined);
  if (prevented !== undefined) return { ok: false, reason: prevented };
  const apply = (): void => {
    change();
    void hooks.reportAndRemark('PostModelSwitch', input);
  };
  return { ok: true, apply };
}

/** A hook may answer a question of a server in place of the user, and change or reject the answer of the user. */
export function elicitWithHooks(hooks: () => SessionHooks, elicit: Elicit): Elicit {
  return async (question, signal) => {
    const { server, message } = question;
    const about = { mcp_server_name: server, message };
    const before = await hooks().report('Elicitation', about, signal);
    if ((before.block ?? before.stop) !== undefined) return { action: 'decline' };
    const given =
      (before.elicitation && readElicitation({ ...before.elicitation })) ?? (await elicit(question, signal));
    const after = await hooks().report('ElicitationResult', { content: null, ...about, ...given }, signal);
    if ((after.block ?? after.stop) !== undefined) return { action: 'decline' };
    return after.elicitation ? readElicitation({ ...after.elicitation }) : given;
  };
}

/** Reports folders that were added to the working folders since the last call. */
export class AddedDirectories {
  readonly #rules: LivePermissions;
  #known: ReadonlySet<string>;

  constructor(rules: LivePermissions) {
    this.#rules = rules;
    this.#known = new Set(rules.directories);
  }

  report(hooks: SessionHooks): void {
    const now = this.#rules.directories;
    for (const path of now.filter((one) => !this.#known.has(one)))
      void hooks.reportAndRemark('DirectoryAdded', { path });
    this.#known = new Set(now);
  }
}
