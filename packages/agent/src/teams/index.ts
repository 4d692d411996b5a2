/** Teams: named agents with a shared task list and mailboxes, as processes or in one process. */
export { mailText } from './mailbox.ts';
export { type MemberEnd, runMember } from './run-member.ts';
export { hasWork, openBlockers, type TeamTask } from './task-list.ts';
export { isTeamName, LEAD, listTeams, TeamFolder, type TeamMember } from './team-folder.ts';
export { type RunTeamHooks, type TaskChangeRequest, TeamSession } from './team-session.ts';
export { taskLine } from './team-tools.ts';
