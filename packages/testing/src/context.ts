/** A tool-use context for tests: no tools, the main thread, nothing read yet. */
import type { FileState, FileStateCache, ToolUseContext } from '@heddle/core';

export const TEST_MODEL = 'scripted-1';

export function contextOf(overrides: Partial<ToolUseContext> = {}): ToolUseContext {
  return {
    tools: [],
    model: TEST_MODEL,
    permissionMode: 'default',
    signal: new AbortController().signal,
    workingDirectory: '/project',
    additionalDirectories: [],
    agentId: undefined,
    fileState: createTestFileState(),
    ...overrides,
  };
}

export function createTestFileState(known: Readonly<Record<string, FileState>> = {}): FileStateCache {
  const states = new Map(Object.entries(known));
  return {
    get: (path) => states.get(path),
    set: (path, state) => void states.set(path, state),
    paths: () => [...states.keys()],
  };
}
