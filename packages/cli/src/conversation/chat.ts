/** Starts a conversation in the terminal: creates the screen, the renderer and the conversation. */
import { VERSION } from '@heddle/agent';
import os from 'node:os';
import path from 'node:path';
import type { ChatCommand } from '../arguments/arguments.ts';
import { configDir } from '../config-dir.ts';
import type { PromptFile } from '@heddle/agent/extensions';
import type { ServerPrompt } from '@heddle/mcp';
import type { SlashCommand } from '../slash/command.ts';
import { readSlash, SLASH_COMMANDS } from '../slash/slash-commands.ts';
import { shortened } from '../terminal/amounts.ts';
import { closeInOrder } from '../start/close-in-order.ts';
import { agentOptions, type AgentSetup } from '../start/agent-options.ts';
import type { StartedSession } from '../start/start-agent.ts';
import { modelText } from '../start/model-options.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import { AUTO, ThemeChoice } from '../terminal/theme.ts';
import { currentText } from './change/change.ts';
import {
  complete,
  type Completed,
  type CompletionSources,
  listFolder,
} from '../terminal/completion/complete.ts';
import { Conversation, type ConversationSetup, type FirstInput } from './conversation.ts';
import { KeybindingFile } from '../terminal/input/keybinding-file.ts';
import { NO_KEYBINDINGS } from '../terminal/input/keybindings.ts';
import { NO_HISTORY, openPromptHistory, Recall } from '../terminal/input/prompt-history.ts';
import { EventRenderer } from './render/event-renderer.ts';
import type { Draft } from '../terminal/input/editor.ts';
import { RichScreen } from '../rich/rich-screen.ts';
import { LineScreen } from '../terminal/line-screen.ts';
import type { Screen } from '../terminal/screen.ts';
import { misuse } from '../terminal/write-message.ts';

export async function chat(given: ChatCommand): Promise<number> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY && !given.plain) return misuse(NO_TERMINAL);
  const hasTerminal = stdin.isTTY && stdout.isTTY;
  const plain = given.plain || !hasTerminal || process.env['TERM'] === 'dumb';
  const found = await agentOptions(given);
  const isFirstStart = !found.ok && found.needsModel === true && hasTerminal;
  const options = isFirstStart ? await (await import('./first-start.ts')).firstStart(given, plain) : found;
  if (!options.ok) return misuse(options.message);
  const { command } = options;
  const folder = configDir(process.env);
  const { cwd } = options.options;
  const themes = new ThemeChoice(path.join(folder, 'themes'), process.env);
  const wrongTheme = themes.choose(options.options.terminal?.theme ?? AUTO);
  const style = styleFor({ plain, env: process.env, themes });
  const history = command.session.persist ? openPromptHistory(folder, cwd) : NO_HISTORY;
  const recall = new Recall(history.prompts);
  const commands: ListedCommand[] = [...SLASH_COMMANDS];
  const keys = plain ? undefined : new KeybindingFile(folder);
  const screen: Screen = plain
    ? new LineScreen(stdin, stdout)
    : new RichScreen(stdin, stdout, {
        recall,
        style,
        cwd,
        env: process.env,
        complete: completionIn(cwd, commands),
        commands,
        hasVimKeys: options.options.terminal?.editorMode === 'vim',
        keybindings: () => keys?.bindings ?? NO_KEYBINDINGS,
        ...(style.colors ? { onReply: (text: string) => themes.takeReply(text) } : {}),
      });
  const { paint } = style;
  // A user who has typed a prompt here before needs no tips.
  const needsTips = !plain && history.prompts.length === 0;
  screen.print(greeting(options.options, style, needsTips));
  const warnInside = (text: string): void => screen.print(paint('yellow', escapeControls(text)));
  if (wrongTheme !== undefined) warnInside(wrongTheme);
  keys?.problems.forEach(warnInside);
  keys?.watch(() => {
    screen.print(paint('dim', '  (your own keys were read again)'));
    keys.problems.forEach(warnInside);
  });
  const conversation = new Conversation({
    command,
    options: options.options,
    screen,
    style,
    themes: style.colors ? themes : undefined,
    renderer: new EventRenderer({
      style,
      cwd,
      current: ({ tool, input, ...place }) => currentText(tool, input, cwd, place),
      detail: plain ? 'summary' : 'preview',
    }),
    configDir: folder,
    ...promptsOf(recall, history, screen),
    sessionOpened: listCommandsIn(commands),
    now: Date.now,
  });
  const signals = watchTerminalSignals(conversation);
  try {
    const isNew = command.session.from.kind === 'new';
    const first = firstInput(command.prompt, isNew ? options.options.mainAgent : undefined);
    const code = await conversation.run(command.session, first);
    return signals.exitCode() ?? code;
  } finally {
    signals.release();
    await closeInOrder([
      () => keys?.close(),
      () => screen.close(),
      () => stdin.destroy(),
      () => options.options.mcp?.close(),
    ]);
  }
}

/** The prompts that the user has sent, with the texts that were pasted into them. */
function promptsOf(
  recall: Recall,
  history: typeof NO_HISTORY,
  screen: Screen,
): Pick<ConversationSetup, 'remember' | 'isTyped' | 'pastedTexts'> {
  const pastedTexts = (): readonly string[] => [...history.pastes, ...screen.pastedTexts];
  return {
    pastedTexts,
    remember(prompt) {
      recall.add(prompt);
      history.add(prompt, screen.pastedTexts);
    },
    isTyped: (prompt) => recall.has(prompt) && !pastedTexts().some((paste) => paste.trim() === prompt.trim()),
  };
}

/** The prompt of the command line, else the text that the definition of the agent begins with. */
function firstInput(typed: string | undefined, agent: AgentSetup['mainAgent']): FirstInput | undefined {
  if (typed !== undefined) return { kind: 'typed', text: typed };
  if (agent?.initialPrompt === undefined) return undefined;
  return { kind: 'of the agent', text: agent.initialPrompt, agent: agent.name };
}

/** The first lines: version, model and folder, and how to start. */
function greeting(options: AgentSetup, { paint, signs }: Style, needsTips: boolean): string {
  const facts = [modelText(options), shortPath(options.cwd)].map(escapeControls);
  const where = [paint('bold', `Heddle ${VERSION}`), ...facts].join(` ${signs.dot} `);
  const tips = needsTips ? [...TIPS, USUAL_KEYS] : [USUAL_KEYS];
  return [where, ...tips.map((tip) => paint('dim', tip))].join('\n');
}

/** Keeps the commands of the current session in the list, after the built-in ones. The screen keeps the list. */
function listCommandsIn(commands: ListedCommand[]): (started: StartedSession) => void {
  let unlisten: (() => void) | undefined;
  return ({ extensions, mcp }) => {
    const update = (): void => {
      // A chosen command is sent as a typed line. So it is listed only if this line means it, and not another command.
      const isMeant = (name: string): boolean => readSlash(`/${name}`, extensions)?.kind !== 'command';
      const files = extensions.files
        .filter((file) => isMeant(file.name) && extensions.commandNamed(file.name) === file)
        .map(listedCommand);
      const prompts = (mcp?.view.prompts ?? [])
        .filter(({ command }, nth, all) => all.findIndex((other) => other.command === command) === nth)
        .map(listedPrompt);
      commands.splice(SLASH_COMMANDS.length, commands.length, ...files, ...prompts);
    };
    update();
    unlisten?.();
    unlisten = mcp?.listen(update);
  };
}

const USUAL_KEYS = '/help lists commands; Ctrl-C interrupts, Ctrl-D leaves';
const TIPS = [
  'Describe a task, or type: @ to attach a file, / for a command, ! for a shell command, # for a note',
  'Shift-Tab changes the mode: ask about each change, accept edits, or plan first',
];

/** Writes the home folder as a tilde. */
function shortPath(folder: string): string {
  const home = os.homedir();
  return folder === home || folder.startsWith(home + path.sep) ? `~${folder.slice(home.length)}` : folder;
}

type ListedCommand = Pick<SlashCommand, 'name' | 'help' | 'hint' | 'also'>;

/** A command from a file in the menu of commands. Its description may contain anything. */
function listedCommand({ name, description }: PromptFile): ListedCommand {
  return { name, help: escapeControls(shortened(description, MAX_HELP)) };
}

/** A prompt of an MCP server in the menu. Its names have no other characters than letters, digits and signs. */
function listedPrompt({ command, description, argumentNames }: ServerPrompt): ListedCommand {
  const hint = argumentNames.map((name) => `<${escapeControls(shortened(name, MAX_HELP))}>`).join(' ');
  return { name: command, hint, help: escapeControls(shortened(description, MAX_HELP)) };
}

const MAX_HELP = 80;

function completionIn(cwd: string, commands: readonly ListedCommand[]): (draft: Draft) => Completed {
  const sources: CompletionSources = {
    get commands() {
      return commands.map(({ name }) => name);
    },
    list: (folder) => listFolder(folder, cwd),
  };
  return (draft) => complete(draft, sources);
}

const NO_TERMINAL =
  'standard input is not a terminal. Run one prompt with: heddle -p "…"\n' +
  'To read prompts line by line from a pipe: heddle --plain';

/** The exit codes by signal. */
const SIGNAL_CODES = { SIGTERM: 143, SIGHUP: 129 } as const;

interface TerminalSignals {
  /** Returns the exit code for the received signal, if there was one. */
  exitCode(): number | undefined;
  release(): void;
}

/**
 * Handles signals: the first one ends the conversation properly, a second one ends the program at once. A second SIGHUP is
 * ignored, because closing a window sends two: one from the terminal and one from the shell.
 */
function watchTerminalSignals(conversation: { leaveNow(): void; interrupt(): void }): TerminalSignals {
  let code: number | undefined;
  const listeners = Object.entries(SIGNAL_CODES).map(([signal, signalCode]) => {
    const listener = (): void => {
      if (code !== undefined) return signal === 'SIGHUP' ? undefined : process.exit(code);
      code = signalCode;
      conversation.leaveNow();
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  // A terminal in raw mode does not send SIGINT. A terminal in line mode and other processes do.
  const interrupt = (): void => conversation.interrupt();
  process.on('SIGINT', interrupt);
  // Keeps the process alive while a turn waits for something that does not.
  const alive = setInterval(() => undefined, 2 ** 30);
  return {
    exitCode: () => code,
    release() {
      clearInterval(alive);
      process.off('SIGINT', interrupt);
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
