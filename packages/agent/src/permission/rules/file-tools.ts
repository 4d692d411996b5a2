/** The tools that access files. Rules for `Read` apply to all that read them, and rules for `Edit` to all that change them. */
const READERS: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'LSP', 'NotebookRead', 'LS']);
const EDITORS: ReadonlySet<string> = new Set(['Edit', 'Write', 'NotebookEdit', 'MultiEdit']);

export function fileAccess(tool: string): 'read' | 'write' | undefined {
  if (READERS.has(tool)) return 'read';
  return EDITORS.has(tool) ? 'write' : undefined;
}

/** Returns the tool whose rules govern the paths of a tool. Undefined for a tool that accesses no files. */
export function pathTool(tool: string): 'Read' | 'Edit' | undefined {
  const access = fileAccess(tool);
  return access && (access === 'read' ? 'Read' : 'Edit');
}
