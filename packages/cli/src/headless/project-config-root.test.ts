/** `--project-config-root`: the configuration of the project comes from a trusted checkout, not from the branch in the working folder. */
import { answer, call, say } from '@heddle/testing';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { closeAtResult, prompt, resultsOf } from './host/test/conversation.ts';
import { stage } from './host/test/stage.ts';

const perform = stage();

function write(file: string, content: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

/** The configuration of a checkout: one of each kind, with its own name. */
function configure(checkout: string, name: string): void {
  const at = (file: string): string => path.join(checkout, file);
  write(at('.claude/settings.json'), {
    permissions: { deny: [`Bash(${name}-denied *)`] },
    hooks: {
      UserPromptSubmit: [
        { hooks: [{ type: 'command', command: `echo "hook ${name} in $CLAUDE_PROJECT_DIR"` }] },
      ],
    },
  });
  write(at(`.claude/commands/${name}.md`), `Do the ${name} command.`);
  write(
    at(`.claude/agents/${name}-agent.md`),
    `---\nname: ${name}-agent\ndescription: of ${name}\n---\nWork.`,
  );
  write(
    at(`.claude/skills/${name}-skill/SKILL.md`),
    `---\nname: ${name}-skill\ndescription: of ${name}\n---\nUse.`,
  );
  write(at('.mcp.json'), { mcpServers: { [`${name}-server`]: { command: 'true' } } });
  write(at('CLAUDE.md'), `Memo of ${name}.`);
}

const SCRIPT = [
  answer(
    call('Bash', { command: 'checkout-denied now' }, 'b1'),
    call('Bash', { command: 'branch-denied now' }, 'b2'),
  ),
  say('Done.'),
];

it('settings, servers, agents, commands and skills come from the given checkout', async () => {
  const held = await perform(SCRIPT, {
    flags: ['--project-config-root=checkout', '--allowedTools=Bash'],
    prepare: (folder) => {
      configure(path.join(folder, 'checkout'), 'checkout');
      configure(folder, 'branch');
      // Only the checkout is trusted.
      const trusted = realpathSync(path.join(folder, 'checkout'));
      write(path.join(folder, 'config/.claude.json'), {
        projects: { [trusted]: { hasTrustDialogAccepted: true } },
      });
    },
    first: [prompt('/checkout')],
    reply: closeAtResult,
  });
  const names = JSON.stringify(held.lines.find(({ subtype }) => subtype === 'init'));
  for (const name of ['checkout', 'checkout-agent', 'checkout-skill', 'checkout-server'])
    expect(names).toContain(`"${name}"`);
  expect(names).not.toContain('branch');
  expect(resultsOf(held)).toMatchObject([{ permission_denials: [{ tool_use_id: 'b1' }] }]);
  const request = JSON.stringify(held.api.requests[0]?.body);
  expect(request).toContain('Do the checkout command.');
  expect(request).toContain(`hook checkout in ${path.join(held.folder, 'checkout')}`);
  expect(request).not.toContain('hook branch');
  // Instruction files belong to the files that the session works on.
  expect(request).toContain('Memo of branch.');
  expect(request).not.toContain('Memo of checkout.');
});

it('hooks of a checkout that is not trusted do not run, and its deny rules count', async () => {
  const held = await perform(SCRIPT, {
    flags: ['--project-config-root=checkout', '--allowedTools=Bash'],
    prepare: (folder) => configure(path.join(folder, 'checkout'), 'checkout'),
    first: [prompt('/checkout')],
    reply: closeAtResult,
  });
  expect(resultsOf(held)).toMatchObject([{ permission_denials: [{ tool_use_id: 'b1' }] }]);
  expect(JSON.stringify(held.api.requests[0]?.body)).not.toContain('hook checkout');
});

it('a checkout that does not exist is reported', async () => {
  const held = await perform([say('Done.')], {
    flags: ['--project-config-root=missing'],
    first: [prompt('go')],
    closes: true,
  });
  expect(held.code).toBe(2);
  expect(held.stderr).toContain('--project-config-root: there is no folder');
});
