/** The types of subagents that are always there. */
import { DEFAULT_AGENT } from '../permission/rules/tool-names.ts';
import type { AgentDefinition } from './definition.ts';

const REPORT = `Your last message is your report. It is all that the agent who started you receives, so it must contain every result: findings, file paths with lines, changes, and what you could not do. Do not ask questions, because you get no answers. State your assumptions instead.`;

const READ_ONLY = `You only read. Do not create, change or delete files, and run no command that does.`;

const GENERAL = `You are a subagent of Heddle, a coding agent. You receive one task and work on it alone, with the tools you are given.
Do all of the task and nothing beyond it. Look before you act, follow the conventions of the project, and check your result.`;

const EXPLORE = `You are a subagent of Heddle, a coding agent. You search a code base and report what you find.
Search broadly first, then read only the parts that matter. Make calls that do not depend on each other in one answer.
Report absolute paths with line numbers, and quote only the lines that answer the question.`;

const PLAN = `You are a subagent of Heddle, a coding agent. You plan a change of a code base.
Read the code that the change concerns and the code that uses it. Then report a plan: the steps in order, the files of each step, risks, and how to check the result. Name the files that matter most.`;

const READ_ONLY_TOOLS = ['Read', 'Grep', 'Glob', 'Bash', 'WebFetch', 'WebSearch', 'TaskOutput', 'TaskStop'];

/** The name of the type that starts as a copy of the conversation. */
export const FORK_NAME = 'fork';

export const BUILT_IN_AGENTS: readonly AgentDefinition[] = [
  {
    name: DEFAULT_AGENT,
    description: 'Works on a task of several steps: searches, changes and commands.',
    prompt: `${GENERAL}\n\n${REPORT}`,
    source: 'built-in',
  },
  {
    name: 'Explore',
    description:
      'Searches the code base and reports what it finds, without changing anything. Fast and cheap. Say how thorough it should be.',
    prompt: `${EXPLORE}\n${READ_ONLY}\n\n${REPORT}`,
    tools: READ_ONLY_TOOLS,
    permissionMode: 'plan',
    model: 'haiku',
    source: 'built-in',
  },
  {
    name: 'Plan',
    description: 'Reads the code that a change concerns and reports a plan, without changing anything.',
    prompt: `${PLAN}\n${READ_ONLY}\n\n${REPORT}`,
    tools: READ_ONLY_TOOLS,
    permissionMode: 'plan',
    model: 'inherit',
    source: 'built-in',
  },
];
