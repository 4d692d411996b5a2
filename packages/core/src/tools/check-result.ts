/** A tool's result comes from outside, whatever its type says: one that cannot be sent or stored is the tool's error. */
import type { ToolResult } from './tool.ts';

export function checkResult(tool: string, result: ToolResult): ToolResult {
  const content: unknown = (result as Partial<ToolResult> | undefined)?.content;
  if (typeof content === 'string') return result;
  if (Array.isArray(content) && content.every(isPart) && isJson(content)) return result;
  throw new Error(`${tool} gave a result that is neither text nor a list of content blocks.`);
}

function isPart(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string';
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}
