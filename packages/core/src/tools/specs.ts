/** Tools as a request names them. */
import type { ToolSpec } from '../model/port.ts';
import type { Tool } from './tool.ts';

/** The same tools give the same specs, so that the request builder can see at a glance that nothing changed. */
const known = new WeakMap<readonly Tool[], readonly ToolSpec[]>();

export function specsOf(tools: readonly Tool[]): readonly ToolSpec[] {
  const before = known.get(tools);
  if (before) return before;
  const specs = tools.map(({ name, description, inputJSONSchema }) => ({
    name,
    description,
    input_schema: inputJSONSchema,
  }));
  known.set(tools, specs);
  return specs;
}
