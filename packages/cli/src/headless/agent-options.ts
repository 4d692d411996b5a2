/** What the command line asks of the agent. */
import type { AgentOptions, Rules } from '@heddle/agent';
import type { RequestOptions } from '@heddle/core';
import { chooseModel } from '@heddle/models';
import { builtinTools } from '@heddle/tools';
import type { PrintCommand } from '../arguments.ts';
import { modelKinds } from '../models/kinds.ts';

export type OptionsRead =
  | { readonly ok: true; readonly options: AgentOptions }
  | { readonly ok: false; readonly message: string };

export async function agentOptions(command: PrintCommand): Promise<OptionsRead> {
  const wanted = command.model ?? process.env['HEDDLE_MODEL'];
  if (wanted === undefined) {
    return {
      ok: false,
      message: 'no model is configured.\nTry one without network or key: heddle -p --model rehearsal "…"',
    };
  }
  const model = await chooseModel(wanted, modelKinds);
  if (!model.ok) return model;
  const tools = builtinTools();
  const unknown = command.tools?.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined) {
    return {
      ok: false,
      message: `--tools: there is no tool named ${unknown}; there are ${tools.map(({ name }) => name).join(', ')}`,
    };
  }
  return {
    ok: true,
    options: {
      model: model.port,
      modelName: model.name,
      tools: tools.filter(({ name }) => offered(name, command)),
      cwd: process.cwd(),
      permissionMode: command.permissionMode,
      rules: rulesOf(command),
      includePartialMessages: command.partialMessages,
      bare: command.bare,
      requestOptions: requestOptions(command),
      ...present({
        fallbackModel: command.fallbackModel,
        maxTurns: command.maxTurns,
        maxBudgetUsd: command.maxBudgetUsd,
        taskBudget: command.taskBudget === undefined ? undefined : { total: command.taskBudget },
        outputSchema: command.jsonSchema,
        systemPrompt: command.systemPrompt === undefined ? undefined : [command.systemPrompt],
        appendSystemPrompt: command.appendSystemPrompt,
      }),
    },
  };
}

/** A tool that is denied as a whole is not even shown to the model. */
function offered(name: string, { tools, disallowedTools }: PrintCommand): boolean {
  return (tools === undefined || tools.includes(name)) && !disallowedTools.includes(name);
}

function requestOptions({ thinking, effort, betas }: PrintCommand): RequestOptions {
  return present({ thinking, effort, betas: betas.length === 0 ? undefined : betas });
}

function rulesOf(command: PrintCommand): Rules {
  const rule = (text: string): Rules['allow'][number] => ({ text, source: 'command line' });
  return { allow: command.allowedTools.map(rule), ask: [], deny: command.disallowedTools.map(rule) };
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that have a value. */
function present<T extends object>(fields: T): Present<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<T>;
}
