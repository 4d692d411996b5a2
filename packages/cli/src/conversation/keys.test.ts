/** Keys and pastes as terminals send them, in the real program. */
import type { PermissionMode } from '@heddle/core';
import { say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { modeAfter } from './input-router.ts';
import { PROMPT, setUpScenes } from './test/scene.ts';
import { ENTER } from './test/terminal.ts';

const { scene } = setUpScenes();

const SHIFT_ENTER = '\u001b[13;2u';
const MOUSE_CLICK = '\u001b[<0;10;20M';
const BACKGROUND_COLOR = '\u001b]11;rgb:1e1e/1e1e/2e2e\u001b\\';

describe('the input line', () => {
  it('sends only the typed text, without reports of the terminal', async () => {
    const { sent, start } = await scene([[say('Read.')]]);
    const terminal = start();
    await terminal.sees(PROMPT);
    terminal.type(`one${MOUSE_CLICK}${SHIFT_ENTER}tw${BACKGROUND_COLOR}o`);
    await terminal.sees('two');
    terminal.type(ENTER);
    await terminal.sees('Read.');
    expect(sent(1)).toContain('one\\ntwo');
    expect(sent(1)).not.toMatch(/10;20|rgb:/);
  });

  it('accepts a paste of 400 kB and shows the next key at once', async () => {
    const { sent, start } = await scene([[say('Long.')]]);
    const terminal = start();
    await terminal.sees(PROMPT);
    const pasted = Array.from({ length: 8_000 }, (_, line) => `line ${line} ${'x'.repeat(38)}`).join('\r');
    terminal.type(`\u001b[200~${pasted}\u001b[201~`);
    await terminal.sees('> [Pasted text #1 +8000 lines]');
    terminal.type(' and then');
    await terminal.sees('and then');
    terminal.type(ENTER);
    await terminal.sees('Long.');
    expect(sent(1)).toContain('line 4000 x');
    expect(sent(1)).toContain('and then');
  });
});

it('cycles through the modes with Shift-Tab, except the modes that allow or deny everything', () => {
  const modes: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
  expect(modes.map(modeAfter)).toEqual(['acceptEdits', 'plan', 'default', 'default', 'default']);
});
