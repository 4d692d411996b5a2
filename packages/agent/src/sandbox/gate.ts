/**
 * Decides for each command whether it runs in the sandbox. If the sandbox cannot start, the user is asked once and the
 * answer applies to the whole session. Without that answer, a command that belongs in the sandbox never runs outside.
 */
import type { JsonObject, PermissionMode } from '@heddle/core';
import type { Confined, ShellSandbox } from '@heddle/tools';
import type { SandboxSettings } from '../settings/sandbox-settings.ts';
import { type Confining, confineCommand } from './confinement.ts';
import type { SandboxReadiness, Sandbox } from './sandbox.ts';
import type { AskPermission, PermissionQuestion } from '../permission/question.ts';
import { omitUndefined } from '@heddle/core';

export interface SandboxGate extends ShellSandbox {
  /** Commands in the sandbox run without a question. */
  readonly sparesQuestions: boolean;
  /** Decides where a call runs. Starts the sandbox if necessary. If it cannot start, asks the user what to do. */
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
  /** The call is not a command, the settings exclude it, or the user chose to run without the sandbox. */
  | { readonly kind: 'outside' }
  | { readonly kind: 'refused'; readonly why: string };

export interface GateDeps {
  readonly settings: SandboxSettings;
  readonly sandbox: Sandbox;
  /** Undefined if there is no user to ask. */
  readonly ask: AskPermission | undefined;
  /** Reports once that there is no sandbox, if the user cannot be asked. */
  readonly notify: (text: string) => void;
  readonly isExcluded: (command: string) => Promise<boolean>;
  readonly confining: Confining;
}

/** The tool name in the question to the user. It is not Bash, so that no rule for commands can allow it. */
export const WITHOUT_SANDBOX = 'RunWithoutSandbox';

const INSIDE: Entered = { kind: 'inside' };
const OUTSIDE: Entered = { kind: 'outside' };

export function createSandboxPolicyGate(deps: GateDeps): SandboxGate {
  const { settings, sandbox, ask, notify, isExcluded, confining } = deps;
  /** The user's answer to running without the sandbox. */
  let decided: Entered | undefined;
  let asking: Promise<Entered> | undefined;
  let isReported = false;

  const wants = async (command: string, leave: boolean): Promise<boolean> =>
    !(leave && settings.allowUnsandboxedCommands) && !(await isExcluded(command));

  async function start(call?: EnteringCall, signal?: AbortSignal): Promise<Entered> {
    const readiness = await sandbox.prepare();
    if (readiness.ready) return INSIDE;
    if (decided) return decided;
    const why = noSandbox(readiness);
    if (!ask || !call || call.mode === 'dontAsk') {
      if (!isReported) notify(why);
      isReported = true;
      return { kind: 'refused', why: `${why} ${REFUSED}` };
    }
    // Several commands may arrive at once. They share one question.
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
    const input = { ...asked, reason, ...omitUndefined({ install }) };
    const answer = await answered(port(choiceAbout(toolUseId, input, why), signal), signal);
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
    async confine({ command, directory, environment, leave, readOnly }): Promise<Confined> {
      if (!(await wants(command, leave))) return { kind: 'outside' };
      const entered = await start();
      if (entered.kind !== 'inside') return entered;
      const confinement = await confineCommand({
        command,
        directory,
        environment,
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
const REFUSED = 'Commands do not run without it, and there is no user to ask.';

/** Returns the message for a sandbox that cannot start: the problem, and the command that fixes it. */
export function noSandbox({
  reason,
  install,
}: Pick<SandboxReadiness & { ready: false }, 'reason' | 'install'>): string {
  return install === undefined ? reason : `${reason} To fix it: ${install}.`;
}

function choiceAbout(toolUseId: string, input: JsonObject, why: string): PermissionQuestion {
  const reason = `${why} ${CHOICE}`;
  return { toolUseId, tool: WITHOUT_SANDBOX, input, reason, basis: reason, parts: [], suggestions: [] };
}

/** Waits for the answer without a deadline, until the signal aborts. A failed question counts as a denial. */
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
