/** Questions on the screen: while one is open the line being typed is its answer, and what was being typed waits aside. */
import type { Screen } from '../screen/screen.ts';
import type { Style } from '../style.ts';
import { Desk } from './desk.ts';

export interface QuestionDeskSetup {
  readonly screen: Screen;
  readonly style: Style;
  /** The prompt that comes back when the last question is answered. */
  readonly prompt: () => string;
}

export function questionDesk({ screen, style, prompt }: QuestionDeskSetup): Desk {
  let isAsking = false;
  let aside = '';
  return new Desk({
    show(dialog, waiting) {
      if (!isAsking) aside = screen.takeDraft();
      isAsking = true;
      if (dialog.lines.length > 0) screen.print(dialog.lines.join('\n'));
      if (waiting > 0) screen.print(style.paint('dim', `  (${waiting} more waiting)`));
      screen.ask(style.paint('yellow', dialog.prompt));
    },
    loseSight({ prompt, about }) {
      if (about !== undefined) screen.reprompt(style.paint('yellow', seenFromAfar(prompt, about)));
    },
    withdrawn({ about, ends = 'its call was discarded' }) {
      const which = about === undefined ? '' : ` (${about})`;
      screen.print(style.paint('dim', `  (the question${which} is withdrawn: ${ends})`));
    },
    done() {
      isAsking = false;
      screen.busy(prompt());
      if (aside !== '') screen.put(aside);
      aside = '';
    },
  });
}

/** `allow? ` says nothing below other lines: `allow? (Bash npm test) `. */
function seenFromAfar(prompt: string, about: string): string {
  return `${prompt}(${about}) `;
}
