/** The prompts that an idle lead gets from its team: messages of members, and the report that the members have no work left. */
import { mailText } from './mailbox.ts';
import type { TeamSession } from './team-session.ts';
import { openTaskLines } from './team-tools.ts';
import { untilChange } from './until-change.ts';

export class LeadInbox {
  readonly #team: TeamSession;
  /** Messages that became part of a prompt. A prompt that was rejected is not repeated: its messages join the next turn. */
  readonly #delivered = new Set<string>();
  /** The lead has not read yet that its members stopped working. */
  #expectsReport: boolean;

  /** `isNew`: the lead has just created the team. Its members may have worked before the lead was idle. */
  constructor(team: TeamSession, isNew: boolean) {
    this.#team = team;
    this.#expectsReport = isNew;
  }

  /**
   * Waits for the next prompt.
   *
   * Contract: never rejects. Undefined if the signal aborts or the team ends. Without `keepsWaiting`, also if no member works.
   */
  async next(signal: AbortSignal, keepsWaiting: boolean): Promise<string | undefined> {
    const { folder, name } = this.#team;
    const mailbox = folder.mailbox(name);
    while (!signal.aborted && folder.exists) {
      const mail = mailbox.waiting().filter(({ id }) => !this.#delivered.has(id));
      if (mail.length > 0) {
        for (const { id } of mail) this.#delivered.add(id);
        this.#expectsReport = true;
        return mail.map(mailText).join('\n\n');
      }
      const isWorking = folder.isWorking;
      if (!isWorking && this.#expectsReport && folder.tasks().tasks.length > 0) {
        this.#expectsReport = false;
        return this.#report();
      }
      if (!isWorking && !keepsWaiting) return undefined;
      this.#expectsReport ||= isWorking;
      await untilChange([folder.path, mailbox.path], signal);
    }
    return undefined;
  }

  #report(): string {
    const { folder } = this.#team;
    const lines = openTaskLines(folder.tasks());
    const members = folder.members().map(({ name }) => name);
    const rest = members.length === 0 ? 'No member runs.' : `${members.join(', ')} wait for new tasks.`;
    return [`The members of the team ${folder.name} have no work left. The task list:`, ...lines, rest].join(
      '\n',
    );
  }
}
