/** A project, a home and a sandboxed Bash of their own for each test; everything real. */
import type { JsonObject, ReadOnlyRun, ToolUseContext } from '@heddle/core';
import { contextOf } from '@heddle/testing';
import { createShellTools, TaskRegistry } from '@heddle/tools';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import { LivePermissions } from '../../permission/live-permissions.ts';
import type { AskPermission } from '../../permission/question.ts';
import { NO_RULES, type Rules } from '../../permission/rules/rule.ts';
import { sandboxSettings } from '../../settings/sandbox-settings.ts';
import { checkSandbox } from '../check.ts';
import { createSandboxGate } from '../create.ts';
import type { Sandbox } from '../sandbox.ts';

/** Whether this machine can sandbox commands. Checked once, because it selects the tests. */
export const check = await checkSandbox();

interface FixtureOptions {
  /** The `sandbox` section of the user's settings. */
  readonly settings?: JsonObject;
  readonly rules?: Partial<Record<keyof Rules, readonly string[]>>;
  readonly directories?: readonly string[];
  readonly ask?: AskPermission;
  readonly sandbox?: Sandbox;
  /** Files of the project to begin with. */
  readonly files?: Readonly<Record<string, string>>;
  /** The path of the project, relative to the base folder. */
  readonly project?: string;
  /** Uses existing folders. */
  readonly at?: { readonly base: string; readonly home: string; readonly project: string };
  /** Files of the project that configured commands run. */
  readonly configFiles?: readonly string[];
  /** Creates a repository in this folder, relative to the base folder. */
  readonly repository?: string;
  /** Variables of commands. A value that starts with `./` becomes a path in the project. */
  readonly variables?: Readonly<Record<string, string>>;
}

interface RanInside {
  readonly text: string;
  readonly isError: boolean;
  readonly context: ToolUseContext;
}

interface RunOptions {
  readonly signal?: AbortSignal;
  readonly context?: ToolUseContext;
  readonly onOutput?: (text: string) => void;
  readonly readOnlyRun?: ReadOnlyRun;
}

export function createSandboxFixture({
  settings = {},
  rules = {},
  files = {},
  ...options
}: FixtureOptions = {}) {
  const { base, project, home } = options.at ?? newFolders(options.project);
  mkdirSync(project, { recursive: true });
  mkdirSync(home, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    writeFileSync(path.join(project, name), text);
  }
  if (options.repository !== undefined) {
    execFileSync('git', ['init', '-q', path.join(base, options.repository)], { env: gitEnvironment(home) });
  }
  const listed = (list: keyof Rules) =>
    (rules[list] ?? []).map((text) => ({ text, source: 'user' as const, base: project }));
  const live = new LivePermissions(
    { ...NO_RULES, deny: listed('deny'), ask: listed('ask'), allow: listed('allow') },
    options.directories ?? [],
  );
  const notices: string[] = [];
  const environment = () => ({
    PATH: process.env['PATH'] ?? '',
    ...gitEnvironment(home),
    ...variablesIn(project, options.variables ?? {}),
  });
  const gate = createSandboxGate({
    settings: settingsOf(settings, home),
    live,
    root: project,
    home,
    configDirs: [path.join(home, '.heddle')],
    configFiles: () => (options.configFiles ?? []).map((file) => path.join(project, file)),
    environment,
    stateDir: path.join(home, '.heddle'),
    ask: options.ask,
    notify: (text) => void notices.push(text),
    ...(options.sandbox ? { sandbox: options.sandbox } : {}),
  });
  const tasks = new TaskRegistry({ folder: path.join(home, '.heddle/tasks') });
  const [bash, output, stop] = createShellTools({
    tasks,
    environment,
    projectDirectory: project,
    sandbox: gate,
  });
  if (!bash || !output || !stop) throw new Error('no tools');
  const start = contextOf({ workingDirectory: project });

  const call = async (tool: typeof bash, input: JsonObject, more: RunOptions = {}): Promise<RanInside> => {
    const { signal = new AbortController().signal, context = start, onOutput, readOnlyRun } = more;
    await tool.inputSchema();
    const { data, newContext } = await tool.call(
      input,
      { ...context, signal, toolUseId: 'b1', ...(readOnlyRun ? { readOnlyRun } : {}) },
      (progress) => {
        if (typeof progress === 'object' && progress !== null && 'output' in progress)
          onOutput?.(JSON.stringify(progress.output));
      },
    );
    const { content, isError = false } = tool.toResult(data);
    return {
      text: typeof content === 'string' ? content : JSON.stringify(content),
      isError,
      context: newContext?.(context) ?? context,
    };
  };

  return {
    base,
    project,
    home,
    gate,
    live,
    tasks,
    told: notices,
    bash,
    run: (command: string, more: RunOptions & { readonly input?: JsonObject } = {}) =>
      call(bash, { command, ...more.input }, more),
    output: (input: JsonObject) => call(output, input),
    stop: (input: JsonObject) => call(stop, input),
    async close() {
      await tasks.dispose();
      await gate.dispose();
    },
  };
}

function newFolders(project = 'project') {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-sandbox-test-')));
  return { base, project: path.join(base, project), home: path.join(base, 'home') };
}

type SandboxFixture = ReturnType<typeof createSandboxFixture>;

function settingsOf(sandbox: JsonObject, home: string) {
  const settings = { sandbox: { enabled: true, ...sandbox } };
  const base = path.join(home, '.claude');
  const file = { source: 'user' as const, file: undefined, base, settings, counting: settings };
  return sandboxSettings({ files: [file], problems: [] }, home);
}

function gitEnvironment(home: string): Record<string, string> {
  const who = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  };
  return { HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...who };
}

function variablesIn(project: string, variables: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(variables);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value.startsWith('./') ? path.join(project, value) : value]),
  );
}

/** Returns a function that creates sandbox folders. They are closed after each test. */
export function sandboxFixtures(): (options?: FixtureOptions) => SandboxFixture {
  let opened: SandboxFixture[] = [];
  afterEach(async () => {
    await Promise.all(opened.map((fixture) => fixture.close()));
    opened = [];
  });
  return (options = {}) => {
    const fixture = createSandboxFixture(options);
    opened.push(fixture);
    return fixture;
  };
}
