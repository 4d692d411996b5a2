/** The shared task list of a team: dependencies, owners and claims as a value. Pure. The folder of the team stores it. */
/** Names one run of a member. A later run of a member with the same name has another id. */
export interface Claim {
  readonly member: string;
  readonly run: string;
}

export interface TeamTask {
  readonly id: string;
  readonly subject: string;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly status: 'pending' | 'in_progress' | 'completed';
  /** The member that works on it, has completed it, or alone may claim it. */
  readonly owner?: string | undefined;
  /** Set while it is in progress. */
  readonly claim?: Claim | undefined;
  /** Tasks that must be completed first. */
  readonly blockedBy: readonly string[];
  readonly createdBy: string;
  /** How often it was handed back. */
  readonly returns: number;
}

export interface TeamTaskList {
  /** The id of the next task. */
  readonly next: number;
  readonly tasks: readonly TeamTask[];
}

export const EMPTY_LIST: TeamTaskList = { next: 1, tasks: [] };

export type ListChange =
  | { readonly ok: true; readonly list: TeamTaskList; readonly task: TeamTask }
  | { readonly ok: false; readonly message: string };

export interface NewTask {
  readonly subject: string;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly owner?: string | undefined;
  readonly blockedBy?: readonly string[] | undefined;
  readonly createdBy: string;
}

/** A task that was handed back this often waits for the lead. Otherwise a task that cannot be done would run forever. */
const MOST_RETURNS = 3;

export function addTask(list: TeamTaskList, { blockedBy = [], ...task }: NewTask): ListChange {
  const unknown = blockedBy.find((id) => !findTask(list, id));
  if (unknown !== undefined) return missingTask(unknown);
  const added: TeamTask = { ...task, id: String(list.next), status: 'pending', blockedBy, returns: 0 };
  return { ok: true, list: { next: list.next + 1, tasks: [...list.tasks, added] }, task: added };
}

export function findTask({ tasks }: TeamTaskList, id: string): TeamTask | undefined {
  return tasks.find((task) => task.id === id);
}

/** Returns the open tasks that a task waits for. */
export function openBlockers(list: TeamTaskList, { blockedBy }: TeamTask): readonly string[] {
  return blockedBy.filter((id) => findTask(list, id)?.status !== 'completed');
}

/** Returns the first task that a member may start by itself. */
export function nextClaimable(list: TeamTaskList, member: string): TeamTask | undefined {
  const open = list.tasks.filter(
    (task) =>
      task.status === 'pending' && task.returns < MOST_RETURNS && openBlockers(list, task).length === 0,
  );
  return open.find(({ owner }) => owner === member) ?? open.find(({ owner }) => owner === undefined);
}

/**
 * Returns whether some task can still be started or completed without the lead. A task that is assigned to a name that never
 * joined cannot be started.
 */
export function hasWork(list: TeamTaskList, isMember: (name: string) => boolean): boolean {
  return list.tasks.some((task) => {
    if (task.status === 'in_progress') return true;
    if (task.status === 'completed' || task.returns >= MOST_RETURNS) return false;
    return openBlockers(list, task).length === 0 && (task.owner === undefined || isMember(task.owner));
  });
}

/** Frees the pending tasks that are assigned to ended members, so that others can claim them. */
export function releaseAssigned(list: TeamTaskList, hasEnded: (name: string) => boolean): TeamTaskList {
  const isReleased = ({ status, owner }: TeamTask): boolean =>
    status === 'pending' && owner !== undefined && hasEnded(owner);
  if (!list.tasks.some(isReleased)) return list;
  return {
    ...list,
    tasks: list.tasks.map((task) => (isReleased(task) ? { ...task, owner: undefined } : task)),
  };
}

export function claimTask(list: TeamTaskList, id: string, claim: Claim): ListChange {
  const task = findTask(list, id);
  if (!task) return missingTask(id);
  if (task.status !== 'pending') return refused(`Task #${id} is ${task.status}${byOwner(task)}.`);
  if (task.owner !== undefined && task.owner !== claim.member)
    return refused(`Task #${id} is assigned to ${task.owner}.`);
  const blockers = openBlockers(list, task);
  if (blockers.length > 0) return refused(`Task #${id} waits for ${numbers(blockers)}.`);
  return replaceTask(list, { ...task, status: 'in_progress', owner: claim.member, claim });
}

/** Only the run that claimed a task completes it. So a task is completed once, also after a member was replaced. */
export function completeTask(list: TeamTaskList, id: string, claim: Claim): ListChange {
  const task = findTask(list, id);
  if (!task) return missingTask(id);
  if (task.status === 'completed') return refused(`Task #${id} is already completed${byOwner(task)}.`);
  if (!isClaimedBy(task, claim)) return refused(`Task #${id} is not yours. Claim it first.`);
  return replaceTask(list, { ...task, status: 'completed', claim: undefined });
}

/** Makes a task free again. */
export function handBackTask(list: TeamTaskList, id: string, claim: Claim): ListChange {
  const task = findTask(list, id);
  if (!task) return missingTask(id);
  if (!isClaimedBy(task, claim)) return refused(`Task #${id} is not yours.`);
  return replaceTask(list, freed(task));
}

/** Frees the tasks whose claim is not valid: their member has ended. */
export function returnTasks(
  list: TeamTaskList,
  isValid: (claim: Claim) => boolean,
): { readonly list: TeamTaskList; readonly returned: readonly TeamTask[] } {
  const returned = list.tasks.filter(({ claim }) => claim !== undefined && !isValid(claim));
  const tasks = list.tasks.map((task) => (returned.includes(task) ? freed(task) : task));
  return { list: returned.length === 0 ? list : { ...list, tasks }, returned };
}

export interface TaskEdits {
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly owner?: string | undefined;
  readonly addBlocks?: readonly string[] | undefined;
  readonly addBlockedBy?: readonly string[] | undefined;
}

/** Changes texts, the assigned member and dependencies. Rejects a circle of dependencies, which would never end. */
export function editTask(list: TeamTaskList, id: string, edits: TaskEdits): ListChange {
  const { addBlocks = [], addBlockedBy = [], owner, ...texts } = edits;
  const task = findTask(list, id);
  const unknown = [...addBlocks, ...addBlockedBy].find((other) => !findTask(list, other));
  if (!task || unknown !== undefined) return missingTask(unknown ?? id);
  if (owner !== undefined && task.status !== 'pending')
    return refused(`Task #${id} is ${task.status}${byOwner(task)}. Only a pending task can be assigned.`);
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
  // The lead who assigns a task again lets it start anew.
  const assigned = owner === undefined ? {} : { owner: owner === '' ? undefined : owner, returns: 0 };
  const edited: TeamTask = { ...task, ...given, ...assigned, blockedBy: union(task.blockedBy, addBlockedBy) };
  const tasks = list.tasks.map((one) => {
    if (one.id === id) return edited;
    return addBlocks.includes(one.id) ? { ...one, blockedBy: union(one.blockedBy, [id]) } : one;
  });
  const changed = { ...list, tasks };
  if (isInCircle(changed, id)) return refused(`Task #${id} would wait for itself.`);
  return { ok: true, list: changed, task: edited };
}

/** Other tasks no longer wait for it. */
export function deleteTask(list: TeamTaskList, id: string): ListChange {
  const task = findTask(list, id);
  if (!task) return missingTask(id);
  const tasks = list.tasks.filter((one) => one.id !== id).map((one) => withoutBlocker(one, id));
  return { ok: true, list: { ...list, tasks }, task };
}

function withoutBlocker(task: TeamTask, id: string): TeamTask {
  if (!task.blockedBy.includes(id)) return task;
  return { ...task, blockedBy: task.blockedBy.filter((other) => other !== id) };
}

function isInCircle(list: TeamTaskList, id: string): boolean {
  const seen = new Set<string>();
  const open = [...(findTask(list, id)?.blockedBy ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === id) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(findTask(list, next)?.blockedBy ?? []));
  }
  return false;
}

function isClaimedBy({ claim }: TeamTask, { member, run }: Claim): boolean {
  return claim?.member === member && claim.run === run;
}

function freed(task: TeamTask): TeamTask {
  return { ...task, status: 'pending', owner: undefined, claim: undefined, returns: task.returns + 1 };
}

function replaceTask(list: TeamTaskList, task: TeamTask): ListChange {
  return {
    ok: true,
    list: { ...list, tasks: list.tasks.map((one) => (one.id === task.id ? task : one)) },
    task,
  };
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}

function byOwner({ owner }: TeamTask): string {
  return owner === undefined ? '' : ` (${owner})`;
}

function numbers(ids: readonly string[]): string {
  return ids.map((id) => `#${id}`).join(', ');
}

function missingTask(id: string): ListChange {
  return refused(`There is no task #${id}. TaskList shows the tasks.`);
}

function refused(message: string): ListChange {
  return { ok: false, message };
}
