/**
 * Converts the structured result of a built-in tool to the format of the SDK protocol. Pure.
 *
 * Contract:
 * - An unlisted tool, or data of another shape (a host may provide its own Read), passes unchanged.
 * - Fields that Heddle does not have are empty. `stderr` is one: both streams of a command are one text.
 */
import { isRecord } from '@heddle/core';
type Fields = Readonly<Record<string, unknown>>;

export interface CallOfResult {
  readonly id: string;
  readonly tool: string;
  /** The input as the model wrote it. */
  readonly input: unknown;
  /** 0 if it was not measured, as in hooks. */
  readonly durationMs?: number;
}

interface Result {
  readonly call: CallOfResult;
  readonly input: Fields;
  readonly data: Fields;
}

/** Returns undefined if the data is not that of the built-in tool. */
type Mapping = (result: Result) => Fields | undefined;

export function hostResult(call: CallOfResult, data: unknown): unknown {
  const mapping = MAPPINGS.get(call.tool.toLowerCase());
  if (!mapping || !isRecord(data)) return data;
  return mapping({ call, input: isRecord(call.input) ? call.input : {}, data }) ?? data;
}

const BY_TOOL: Readonly<Record<string, Mapping>> = {
  Bash: bashResult,
  Read: readResult,
  Edit: editResult,
  Write: writeResult,
  NotebookEdit: notebookEditResult,
  Glob: globResult,
  Grep: grepResult,
  WebFetch: webFetchResult,
  WebSearch: webSearchResult,
  TodoWrite: todoWriteResult,
  TaskCreate: ({ data }) => ifFields(data['task'], (task) => ({ task: taskHead(task) })),
  TaskUpdate: taskUpdateResult,
  TaskGet: taskGetResult,
  TaskList: ({ data }) => ifList(data['tasks'], (tasks) => ({ tasks: tasks.map(listedTask) })),
  TaskStop: taskStopResult,
  KillShell: taskStopResult,
  KillBash: taskStopResult,
  Agent: agentResult,
  Task: agentResult,
  SendMessage: agentResult,
  AskUserQuestion: askResult,
  EnterPlanMode: () => ({ message: 'Plan mode is on.' }),
  ExitPlanMode: exitPlanModeResult,
};

function agentResult({ data }: Result): Fields | undefined {
  const { kind, record, result, transcript } = data;
  if (!isRecord(record)) return undefined;
  const { agentId, agentType, prompt, description, model } = record;
  const about = { agentId, agentType, prompt, description, resolvedModel: model };
  if (kind === 'background') return { status: 'async_launched', ...about, outputFile: transcript };
  if (!isRecord(result) || !isRecord(result['usage'])) return undefined;
  const { total_tokens, tool_uses, duration_ms } = result['usage'];
  return {
    status: result['status'],
    ...about,
    content: [{ type: 'text', text: result['text'] }],
    totalTokens: total_tokens,
    totalToolUseCount: tool_uses,
    totalDurationMs: duration_ms,
  };
}

/** By the name in lower case: models also write tool names that way. */
const MAPPINGS = new Map(Object.entries(BY_TOOL).map(([tool, mapping]) => [tool.toLowerCase(), mapping]));

function bashResult({ input, data }: Result): Fields | undefined {
  const { output, exit, file, bytes, meaning } = data;
  if (!isText(output) || !isRecord(exit)) return undefined;
  return {
    stdout: output,
    stderr: '',
    interrupted: exit['kind'] === 'stopped' && exit['why'] === 'interrupted',
    isImage: false,
    noOutputExpected: false,
    ...(exit['kind'] === 'background' ? { backgroundTaskId: exit['id'] } : {}),
    ...(exit['why'] === 'time_limit' ? { timedOutAfterMs: exit['afterMs'] } : {}),
    ...(input['dangerouslyDisableSandbox'] === true ? { dangerouslyDisableSandbox: true } : {}),
    ...(isText(meaning) ? { returnCodeInterpretation: meaning } : {}),
    ...(isText(file) ? { persistedOutputPath: file, persistedOutputSize: bytes } : {}),
  };
}

function readResult({ data }: Result): Fields | undefined {
  const { path: filePath, kind, parts, size: originalSize = 0, cells } = data;
  const shown = fieldsIn(parts);
  switch (kind) {
    case 'text': {
      const { lines, first: startLine, total } = shown[0] ?? {};
      if (!Array.isArray(lines)) return undefined;
      const last = Number(startLine) + lines.length - 1;
      return {
        type: 'text',
        // The lines of a huge file are not counted. Only the last line shown is known.
        file: {
          filePath,
          content: lines.join('\n'),
          numLines: lines.length,
          startLine,
          totalLines: total ?? last,
        },
      };
    }
    case 'image': {
      const { base64, mediaType, size, original } = shown.find((part) => part['kind'] === 'image') ?? {};
      if (!isRecord(size)) return undefined;
      const before = isRecord(original) ? original : size;
      const dimensions = {
        originalWidth: before['width'],
        originalHeight: before['height'],
        displayWidth: size['width'],
        displayHeight: size['height'],
      };
      return { type: 'image', file: { base64, type: mediaType, originalSize, dimensions } };
    }
    case 'notebook': {
      const listed = fieldsIn(cells).map(({ id, type, source, language }) => ({
        cell_id: id,
        cellType: type,
        source,
        language,
      }));
      return { type: 'notebook', file: { filePath, cells: listed } };
    }
    case 'pdf': {
      const count = shown.filter(({ text }) => isText(text) && text.startsWith('--- page ')).length;
      return { type: 'parts', file: { filePath, originalSize, count, outputDir: '' } };
    }
    default:
      return undefined;
  }
}

function editResult({ input, data }: Result): Fields | undefined {
  const { path: filePath, original, hunks } = data;
  if (!Array.isArray(hunks)) return undefined;
  const edits = Array.isArray(input['edits']) ? fieldsIn(input['edits']) : [input];
  return {
    filePath,
    oldString: edits.map(({ old_string }) => textOr(old_string, '')).join('\n'),
    newString: edits.map(({ new_string }) => textOr(new_string, '')).join('\n'),
    originalFile: original,
    structuredPatch: hunks,
    userModified: false,
    replaceAll: edits.some(({ replace_all }) => isTrue(replace_all)),
  };
}

function writeResult({ input, data }: Result): Fields | undefined {
  const { path: filePath, created, original, hunks } = data;
  if (!Array.isArray(hunks)) return undefined;
  const type = created === true ? 'create' : 'update';
  const content = textOr(input['content'], '');
  return { type, filePath, content, structuredPatch: hunks, originalFile: original };
}

function notebookEditResult({ input, data }: Result): Fields | undefined {
  const { path, mode, cellId, cellType, language, oldSource, original, updated } = data;
  if (!isText(cellId)) return undefined;
  return {
    new_source: textOr(input['new_source'], ''),
    ...(isText(oldSource) ? { old_source: oldSource } : {}),
    cell_id: cellId,
    cell_type: cellType === 'code' ? 'code' : 'markdown',
    language,
    edit_mode: mode,
    notebook_path: path,
    original_file: textOr(original, ''),
    updated_file: textOr(updated, ''),
  };
}

function globResult({ call: { durationMs = 0 }, data }: Result): Fields | undefined {
  const { files, total, isCut } = data;
  if (!Array.isArray(files) || typeof total !== 'number') return undefined;
  const numFiles = files.length;
  return {
    durationMs,
    numFiles,
    filenames: files,
    truncated: numFiles < total || isCut === true,
    totalMatches: total,
    countIsComplete: isCut !== true,
  };
}

function grepResult({ data }: Result): Fields | undefined {
  const { mode, lines, total, files, offset } = data;
  if (!isTexts(lines) || typeof total !== 'number' || typeof offset !== 'number') return undefined;
  const isShortened = offset + lines.length < total;
  const page = {
    ...(isShortened ? { appliedLimit: lines.length } : {}),
    ...(offset > 0 ? { appliedOffset: offset } : {}),
  };
  if (mode === 'files_with_matches')
    return { mode, numFiles: lines.length, filenames: lines, totalFiles: total, ...page };
  const content = lines.join('\n');
  if (mode === 'content')
    return {
      mode,
      numFiles: files,
      filenames: [],
      content,
      numLines: lines.length,
      totalLines: total,
      ...page,
    };
  if (mode !== 'count') return undefined;
  const numMatches = lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(':') + 1)), 0);
  return { mode, numFiles: lines.length, filenames: [], content, numMatches, totalFiles: total, ...page };
}

function webFetchResult({ call: { durationMs = 0 }, data }: Result): Fields | undefined {
  const { url, status, bytes, text, redirectedTo, statusText } = data;
  if (!isText(url) || typeof status !== 'number' || !isText(text)) return undefined;
  const result = isText(redirectedTo) ? `Redirects to ${redirectedTo}` : text;
  return { bytes, code: status, codeText: textOr(statusText, ''), result, durationMs, url };
}

function webSearchResult({ call, data }: Result): Fields | undefined {
  const { query, hits, text } = data;
  if (!isText(query) || !Array.isArray(hits)) return undefined;
  const content = fieldsIn(hits).map(({ title, url }) => ({ title, url }));
  const results = [{ tool_use_id: call.id, content }, ...(isText(text) && text !== '' ? [text] : [])];
  return { query, results, durationSeconds: (call.durationMs ?? 0) / 1_000 };
}

function todoWriteResult({ data }: Result): Fields | undefined {
  const { oldTodos, newTodos } = data;
  if (!Array.isArray(oldTodos) || !Array.isArray(newTodos)) return undefined;
  const listed = (todos: unknown): Fields[] =>
    fieldsIn(todos).map(({ content, status, activeForm }) => ({
      content,
      status,
      activeForm: activeForm ?? content,
    }));
  return { oldTodos: listed(oldTodos), newTodos: listed(newTodos) };
}

function taskUpdateResult({ input, data }: Result): Fields | undefined {
  const { taskId, task, oldTodos, newTodos } = data;
  if (!isText(taskId) || !isRecord(task)) return undefined;
  const { taskId: _, ...changes } = input;
  const named = (todos: unknown): Fields | undefined =>
    fieldsIn(todos).find(({ id }, index) => (id ?? String(index + 1)) === taskId);
  const from = named(oldTodos)?.['status'];
  const to = named(newTodos)?.['status'] ?? 'deleted';
  return {
    success: true,
    taskId,
    updatedFields: Object.keys(changes),
    ...(isText(from) && from !== to ? { statusChange: { from, to } } : {}),
  };
}

function taskGetResult({ data: { task } }: Result): Fields | undefined {
  return ifFields(task, (known) => ({
    task: {
      ...taskHead(known),
      description: textOr(known['description'], ''),
      status: known['status'],
      blocks: [],
      blockedBy: known['blockedBy'] ?? [],
    },
  }));
}

function taskHead({ id, content, description }: Fields): Fields {
  return { id, subject: content, ...(isText(description) ? { description } : {}) };
}

function listedTask({ id, content, status, owner, blockedBy = [] }: Fields): Fields {
  return { id, subject: content, status, ...(isText(owner) ? { owner } : {}), blockedBy };
}

function taskStopResult({ data }: Result): Fields | undefined {
  const { taskId, command, status } = data;
  const record = isRecord(status) ? status['record'] : undefined;
  if (isRecord(record)) {
    const { agentId, description } = record;
    const message = `Task ${String(agentId)} is stopped.`;
    return { message, task_id: agentId, task_type: 'local_agent', command: description };
  }
  if (!isText(taskId)) return undefined;
  return { message: `Task ${taskId} is stopped.`, task_id: taskId, task_type: 'local_bash', command };
}

function askResult({ data }: Result): Fields | undefined {
  const { questions, answers } = data;
  if (!Array.isArray(questions)) return undefined;
  const asked = fieldsIn(questions).map(({ question, header, options, multiSelect }) => ({
    question,
    header,
    options,
    multiSelect: multiSelect === true,
  }));
  return { questions: asked, answers: isRecord(answers) ? answers : {} };
}

function exitPlanModeResult({ data: { plan, decision } }: Result): Fields | undefined {
  if (!isRecord(decision)) return undefined;
  return { plan: isText(plan) ? plan : null, isAgent: false };
}

function fieldsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function ifFields<To>(value: unknown, map: (fields: Fields) => To): To | undefined {
  return isRecord(value) ? map(value) : undefined;
}

function ifList<To>(value: unknown, map: (list: readonly Fields[]) => To): To | undefined {
  return Array.isArray(value) ? map(fieldsIn(value)) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function textOr(value: unknown, otherwise: string): string {
  return isText(value) ? value : otherwise;
}

/** Models also write booleans as strings. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}
