/**
 * Decides for each command whether it runs inside, and what happens where the sandbox cannot start: the user is asked once and
 * the answer holds for the session. A command that should be inside never runs outside without that answer.
 */
import type { JsonObject, PermissionMode } from '@heddle/core';
import type { Confined, ShellSandbox } from '@heddle/tools';
import type { SandboxSettings } from '../settings/sandbox-settings.ts';
import { type Confining, confinementOf } from './confinement.ts';
import type { SandboxReadiness, Sandbox } from './sandbox.ts';
import type { AskPermission } from '../permission/question.ts';

export interface SandboxGate extends ShellSandbox {
  /** What runs inside needs no question. */
  readonly sparesQuestions: boolean;
  /** Where a call is to run. Starts the sandbox where it does not run yet; where it cannot, asks what to do. */
  enter(call: EnteringCall, signal: AbortSignal): Promise<Entered>;
  dispose(): Promise<void>;
}

interface EnteringCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly mode: PermissionMode;
}

type Entered =
  | { readonly kind: 'inside' }
  /** It is no command, the settings leave it out, or the user wants to go on without. */
  | { readonly kind: 'outside' }
  | { readonly kind: 'refused'; readonly why: string };

export interface GateDeps {
  readonly settings: SandboxSettings;
  readonly sandbox: Sandbox;
  /** Undefined: nobody can be asked. */
  readonly ask: AskPermission | undefined;
  /** Where nobody is asked, the user is told once that there is no sandbox. */
  readonly tell: (text: string) => void;
  readonly isExcluded: (command: string) => Promise<boolean>;
  readonly confining: Confining;
}

/** The name under which the question goes to whoever answers. Not Bash: nobody shall allow this by a rule for commands. */
export const WITHOUT_SANDBOX = 'RunWithoutSandbox';

const INSIDE: Entered = { kind: 'inside' };
const OUTSIDE: Entered = { kind: 'outside' };

export function createSandboxPolicyGate(deps: GateDeps): SandboxGate {
  const { settings, sandbox, ask, tell, isExcluded, confining } = deps;
  /** What the user said about going on without. */
  let decided: Entered | undefined;
  let asking: Promise<Entered> | undefined;
  let told = false;

  const wants = async (command: string, leave: boolean): Promise<boolean> =>
    !(leave && settings.allowUnsandboxedCommands) && !(await isExcluded(command));

  async function start(call?: EnteringCall, signal?: AbortSignal): Promise<Entered> {
    const readiness = await sandbox.prepare();
    if (readiness.ready) return INSIDE;
    if (decided) return decided;
    const why = noSandbox(readiness);
    if (!ask || !call || call.mode === 'dontAsk') {
      if (!told) tell(why);
      told = true;
      return { kind: 'refused', why: `${why} ${REFUSED}` };
    }
    // Several commands may come at once: one question stands for all of them.
    asking ??= question(readiness, call, ask, signal).finally(() => {
      asking = undefined;
    });
    return asking;
  }

  async function question(
    readiness: SandboxReadiness & { ready: false },
    { toolUseId, input: asked }: EnteringCall,
    port: AskPermission,
    signal = new AbortController().signal,
  ): Promise<Entered> {
    const { reason, install } = readiness;
    const why = noSandbox(readiness);
    const input = { ...asked, reason, ...(install === undefined ? {} : { install }) };
    const answer = await answered(
      port(
        { toolUseId, tool: WITHOUT_SANDBOX, input, reason: `${why} ${CHOICE}`, parts: [], suggestions: [] },
        signal,
      ),
      signal,
    );
    if (answer === 'withdrawn') return { kind: 'refused', why: 'The question was withdrawn.' };
    decided = answer
      ? OUTSIDE
      : { kind: 'refused', why: `${why} The user does not want to run commands without it.` };
    return decided;
  }

  return {
    mayLeave: settings.allowUnsandboxedCommands,
    sparesQuestions: settings.autoAllowBashIfSandboxed,
    async enter(call, signal) {
      const { command, dangerouslyDisableSandbox } = call.input;
      if (call.tool !== 'Bash' || typeof command !== 'string') return OUTSIDE;
      return (await wants(command, dangerouslyDisableSandbox === true)) ? start(call, signal) : OUTSIDE;
    },
    async confine({ command, directory, leave, readOnly }): Promise<Confined> {
      if (!(await wants(command, leave))) return { kind: 'outside' };
      const entered = await start();
      if (entered.kind !== 'inside') return entered;
      const confinement = await confinementOf({
        command,
        directory,
        readOnly,
        sandbox,
        settings,
        confining,
      });
      return { kind: 'inside', confinement };
    },
    dispose: () => sandbox.dispose(),
  };
}

const CHOICE =
  'Allow: the commands of this session run without a sandbox, each after the usual questions. Deny: no command runs.';
const REFUSED = 'Commands do not run without it, and there is nobody to ask.';

/** The one sentence for a sandbox that cannot start: what is wrong, and the command that would repair it. */
export function noSandbox({
  reason,
  install,
}: Pick<SandboxReadiness & { ready: false }, 'reason' | 'install'>): string {
  return install === undefined ? reason : `${reason} To mend it: ${install}.`;
}

/** A human has no deadline, only an abort; whoever fails to answer has not allowed it. */
async function answered(
  answer: ReturnType<AskPermission>,
  signal: AbortSignal,
): Promise<boolean | 'withdrawn'> {
  const withdrawn = Promise.withResolvers<'withdrawn'>();
  const withdraw = (): void => withdrawn.resolve('withdrawn');
  if (signal.aborted) withdraw();
  signal.addEventListener('abort', withdraw, { once: true });
  try {
    return await Promise.race([answer.then(({ allow }) => allow), withdrawn.promise]);
  } catch {
    return false;
  } finally {
    signal.removeEventListener('abort', withdraw);
  }
}
