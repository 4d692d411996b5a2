/** Teams: named agents with a shared task list and mailboxes, as processes or in one process. */
export { LeadInbox } from './lead-inbox.ts';
export { mailText } from './mailbox.ts';
export { MemberRestarts } from './member-restarts.ts';
export { type MemberEnd, runMember } from './run-member.ts';
export { hasWork, type TeamTask } from './task-list.ts';
export { isTeamName, LEAD, listTeams, TeamFolder, type TeamMember } from './team-folder.ts';
export { type RunTeamHooks, type TaskChangeRequest, TeamSession } from './team-session.ts';
export { openTaskLines } from './team-tools.ts';
