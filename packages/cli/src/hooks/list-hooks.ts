/** The hooks of a session or a folder as a list: by event, with their files and the reason if they do not run. */
import { type DeclaredHook, describeHandler, type InactiveReason } from '@heddle/agent/hooks';
import { escapeLine } from '../terminal/escape-controls.ts';

const REASONS: Readonly<Record<InactiveReason, string>> = {
  untrusted: 'does not run: the folder is not trusted. If you trust it: heddle permissions trust',
  disableAllHooks: 'does not run: the settings have disableAllHooks',
  allowManagedHooksOnly: 'does not run: the managed settings have allowManagedHooksOnly',
};

export function hookList(hooks: readonly DeclaredHook[]): string {
  if (hooks.length === 0)
    return 'No hooks are declared here. Declare them under "hooks" in settings.json: see docs/hooks.md.';
  const byEvent = Map.groupBy(hooks, ({ hook }) => hook.event);
  const sections = [...byEvent].map(([event, list]) => `${event}\n${list.map(hookLines).join('\n')}`);
  return sections.join('\n');
}

function hookLines({ hook, scope, inactive }: DeclaredHook): string {
  const { matcher, condition, handler, source, timeoutMs, failsClosed } = hook;
  const facts = [
    ...(matcher === '' || matcher === '*' ? [] : [`matcher ${matcher}`]),
    ...(condition === undefined ? [] : [`if ${condition}`]),
    ...(handler.type === 'command' && handler.async ? ['in the background'] : []),
    `up to ${timeoutMs / 1_000} s`,
    ...(failsClosed ? ['blocks if it fails'] : []),
  ];
  const place = source.includes(scope) ? source : `${scope}, ${source}`;
  const state = whyInactive({ inactive });
  return [
    `  ${escapeLine(describeHandler(handler))}  (${facts.map(escapeLine).join(', ')})`,
    `    ${escapeLine(place)}`,
    ...(state === undefined ? [] : [`    ${state}`]),
  ].join('\n');
}

/** Returns why a hook does not run, or undefined if it does. */
export function whyInactive({ inactive }: Pick<DeclaredHook, 'inactive'>): string | undefined {
  return inactive === undefined ? undefined : REASONS[inactive];
}

/** One hook as `--json` prints it. */
export function hookFacts(declared: DeclaredHook): object {
  const { event, matcher, condition, handler, source, timeoutMs, failsClosed } = declared.hook;
  return {
    event,
    matcher,
    if: condition ?? null,
    handler,
    timeoutMs,
    onFailure: failsClosed ? 'block' : 'continue',
    scope: declared.scope,
    source,
    trusted: declared.inactive !== 'untrusted',
    runs: whyInactive(declared) === undefined,
    reason: whyInactive(declared) ?? null,
  };
}
