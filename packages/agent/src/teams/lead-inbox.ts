/** The prompts that an idle lead gets from its team: messages of members, and the report that the members have no work left. */
import { type Mail, mailText } from './mailbox.ts';
import type { TeamSession } from './team-session.ts';
import { openTaskLines } from './team-tools.ts';
import { untilChange } from './until-change.ts';

export class LeadInbox {
  readonly #team: TeamSession;
  /** Messages of prompts that were taken. A prompt that was rejected is not repeated: its messages join the next turn. */
  readonly #delivered = new Set<string>();
  /** The lead has not read yet that its members stopped working. */
  #expectsReport: boolean;

  /** `isNew`: the lead has just created the team. Its members may have worked before the lead was idle. */
  constructor(team: TeamSession, isNew: boolean) {
    this.#team = team;
    this.#expectsReport = isNew;
  }

  /**
   * Waits until there is a prompt to take. Marks nothing as delivered, so a caller may ignore the answer.
   *
   * Contract: never rejects. False if the signal aborts or the team ends. Without `keepsWaiting`, also if no member works.
   */
  async untilReady(signal: AbortSignal, keepsWaiting: boolean): Promise<boolean> {
    const { folder, name } = this.#team;
    const mailbox = folder.mailbox(name);
    while (!signal.aborted && folder.exists) {
      if (this.#newMail().length > 0) return true;
      const isWorking = folder.isWorking;
      if (!isWorking && this.#hasReport()) return true;
      if (!isWorking && !keepsWaiting) return false;
      this.#expectsReport ||= isWorking;
      await untilChange([folder.path, mailbox.path], signal);
    }
    return false;
  }

  /** Returns the prompt that is ready, which the caller submits. Undefined if there is none. */
  take(): string | undefined {
    const mail = this.#newMail();
    if (mail.length > 0) {
      for (const { id } of mail) this.#delivered.add(id);
      this.#expectsReport = true;
      return mail.map(mailText).join('\n\n');
    }
    if (this.#team.folder.isWorking || !this.#hasReport()) return undefined;
    this.#expectsReport = false;
    return this.#report();
  }

  #newMail(): readonly Mail[] {
    const { folder, name } = this.#team;
    return folder
      .mailbox(name)
      .waiting()
      .filter(({ id }) => !this.#delivered.has(id));
  }

  /** The members stopped working, and the lead has not read it. */
  #hasReport(): boolean {
    return this.#expectsReport && this.#team.folder.tasks().tasks.length > 0;
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
