/** Monitor: runs a command in the background and reports each new line. Its command needs the same permission as one of Bash. */
import type { CallContext, Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { Monitors } from '../tasks/monitors.ts';
import type { TaskRegistry } from '../tasks/registry.ts';
import type { BashData } from './result.ts';
import type { BashInput, MonitorInput } from './schema.ts';

interface MonitorDeps {
  readonly tasks: TaskRegistry;
  readonly monitors: Monitors;
  /** Starts the command: in the sandbox, with the environment and the folder of every command. */
  readonly bash: Tool<BashInput, BashData>;
}

const DEFAULT_TIMEOUT_MS = 30 * 60_000;

export function createMonitorTool({ tasks, monitors, bash }: MonitorDeps): Tool<MonitorInput, BashData> {
  return {
    name: 'Monitor',
    description:
      'Runs a command in the background and gives you its new lines between your calls, such as the errors of a log. Select lines in the command or with contains: a command that writes too much is ended. TaskStop ends it; you are told when it ends.',
    inputJSONSchema: inputSchemas.Monitor,
    async inputSchema() {
      const [{ monitorInput }] = await Promise.all([import('./schema.ts'), bash.inputSchema()]);
      return monitorInput;
    },
    inputAliases: { timeout_ms: 'timeout', persistent: null },
    isReadOnly: () => false,
    isConcurrencySafe: () => false,
    maxResultSize: 10_000,
    interruptBehavior: 'cancel',
    validateInput: ({ command }, context) => bash.validateInput?.({ command }, context) ?? { ok: true },

    async call({ command, description, contains, timeout = DEFAULT_TIMEOUT_MS }, context: CallContext) {
      const input = { command, description, run_in_background: true };
      const output = await bash.call(input, context, () => undefined);
      const { exit } = output.data;
      const task = exit.kind === 'background' ? tasks.get(exit.id) : undefined;
      if (task) monitors.add(task, await task.output.keepWhole(), { contains, timeoutMs: timeout });
      return output;
    },

    toResult(data) {
      if (data.exit.kind !== 'background') return bash.toResult(data);
      const { id } = data.exit;
      return {
        content: `Monitor ${id} runs. New lines arrive as messages. TaskStop with task_id ${id} ends it.`,
      };
    },
  };
}
