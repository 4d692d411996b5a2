/** Asks the user for permissions, choices and plan approval on behalf of the agent. */
import os from 'node:os';
import path from 'node:path';
import {
  type PermissionAnswer,
  type PermissionQuestion,
  type PermissionUpdate,
  ruleText,
} from '@heddle/agent';
import { persistUpdates, settingsFileOf, type SettingsPlaces } from '@heddle/agent/settings';
import type { RepeatedCall } from '@heddle/core';
import type { PlanDecision } from '@heddle/tools';
import { escapeControls, escapeLine } from '../../terminal/escape-controls.ts';
import type { Style } from '../../terminal/style.ts';
import { nearPath } from '../../terminal/call-line.ts';
import { currentText } from '../change/change.ts';
import {
  planDialog,
  type UserQuestion,
  userQuestionDialog,
  WITHOUT_SANDBOX_CHOICES,
  withoutSandboxDialog,
} from './plan-and-user-questions.ts';
import { answered, choiceDialog, type Dialog, noting } from '../../terminal/dialog.ts';
import { permissionDialog } from './permission.ts';

export interface UserDialogsSetup {
  readonly style: Style;
  readonly cwd: string;
  /** See `SettingsPlaces`. */
  readonly projectRoot?: string | undefined;
  /** Returns undefined if the question is withdrawn or not answered. */
  readonly ask: <Answer>(dialog: Dialog<Answer>, signal: AbortSignal) => Promise<Answer | undefined>;
  /** Returns false if the input has ended. */
  readonly hasUser: () => boolean;
  readonly say: (text: string) => void;
}

/** These tools are questions themselves, so they need no permission. */
const ASKS_ITSELF: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/** A waiting question. A rule that another answer adds may cover it. */
interface Waiting {
  /** Empty if rules are not enough, because the call also needs a folder or a mode. */
  readonly rules: readonly string[];
  readonly covered: AbortController;
  /** The updates of the answer that covers it. */
  coveredBy?: readonly PermissionUpdate[];
}

export class UserDialogs {
  readonly #setup: UserDialogsSetup;
  readonly #places: SettingsPlaces;
  readonly #waiting = new Set<Waiting>();

  constructor(setup: UserDialogsSetup) {
    this.#setup = setup;
    const { cwd, projectRoot } = setup;
    this.#places = { cwd, home: os.homedir(), env: process.env, projectRoot };
  }

  async mayRun(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const { ask, hasUser } = this.#setup;
    if (ASKS_ITSELF.has(question.tool)) return { allow: true };
    const dialog = this.#dialogFor(question);
    const rules = question.suggestions.every(({ type }) => type === 'addRules')
      ? rulesIn(question.suggestions)
      : [];
    const waiting: Waiting = { rules, covered: new AbortController() };
    this.#waiting.add(waiting);
    // Runs before the next question is shown, because the same answer may settle it.
    const noted = noting(dialog, ({ updates }) => {
      this.#waiting.delete(waiting);
      if (updates) this.#remember(updates);
    });
    const answer = await ask(noted, AbortSignal.any([signal, waiting.covered.signal]));
    this.#waiting.delete(waiting);
    const { coveredBy } = waiting;
    if (coveredBy && !signal.aborted) return { allow: false, coveredBy };
    if (!answer) {
      const message = hasUser() ? 'The user did not answer.' : 'There is no user to ask.';
      return { allow: false, message };
    }
    return answer;
  }

  async askUser(
    questions: readonly UserQuestion[],
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>> | undefined> {
    const answers: Record<string, string> = {};
    for (const question of questions) {
      const answer = await this.#setup.ask(userQuestionDialog(question, this.#setup.style), signal);
      if (answer === undefined) return undefined;
      answers[question.question] = answer;
    }
    return answers;
  }

  async approvePlan(plan: string, signal: AbortSignal): Promise<PlanDecision> {
    return (await this.#setup.ask(planDialog(plan, this.#setup.style), signal)) ?? { approved: false };
  }

  /** Asks whether a run that repeats itself continues. Without an answer it ends. */
  async mayRepeat(calls: readonly RepeatedCall[], signal: AbortSignal): Promise<boolean> {
    return (await this.#setup.ask(repetitionDialog(calls, this.#setup.style), signal)) ?? false;
  }

  #dialogFor(question: PermissionQuestion): Dialog<PermissionAnswer> {
    const { style, cwd } = this.#setup;
    if (question.tool === WITHOUT_SANDBOX_CHOICES) return withoutSandboxDialog(question, style);
    return permissionDialog(question, {
      style,
      cwd,
      current: currentText(question.tool, question.input, cwd, question),
      fileOf: (scope) => atHome(nearPath(settingsFileOf(scope, this.#places).file, cwd)),
    });
  }

  /** Stores permanent rules in the settings file of their scope, and withdraws waiting questions that they cover. */
  #remember(updates: readonly PermissionUpdate[]): void {
    const allowed = new Set(rulesIn(updates));
    for (const waiting of this.#waiting) {
      const { rules, covered } = waiting;
      if (rules.length === 0 || !rules.every((rule) => allowed.has(rule))) continue;
      waiting.coveredBy = updates.filter(({ type }) => type === 'addRules');
      covered.abort();
    }
    for (const problem of persistUpdates(updates, this.#places)) this.#setup.say(escapeControls(problem));
  }
}

function repetitionDialog(calls: readonly RepeatedCall[], { paint }: Style): Dialog<boolean> {
  const listed = calls.map(({ tool, count }) => `  | ${escapeLine(tool)}, ${count} times`);
  return choiceDialog<boolean>(
    [
      paint('yellow', 'The model repeats itself: the same call with the same result.'),
      ...listed,
      paint('yellow', 'Continue?'),
    ],
    [
      {
        key: '1',
        text: 'yes, and ask again if it repeats itself',
        also: ['y', 'yes'],
        reply: () => answered(true),
      },
      { key: '3', text: 'no, end the turn', also: ['n', 'no'], reply: () => answered(false) },
    ],
    { prompt: 'continue? ', about: 'continue although calls repeat' },
  );
}

function atHome(file: string): string {
  const near = path.relative(os.homedir(), file);
  return path.isAbsolute(file) && !near.startsWith('..') ? `~/${near}` : file;
}

function rulesIn(updates: readonly PermissionUpdate[]): string[] {
  return updates.flatMap((update) => (update.type === 'addRules' ? update.rules.map(ruleText) : []));
}
