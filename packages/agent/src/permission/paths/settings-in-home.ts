/**
 * Finds the programs and scripts that settings in the home folder name: an interpreter in the settings of an editor, a server of an
 * agent, a wrapper of a build tool. Those programs run them in any project, without being asked to.
 */
import path from 'node:path';
import { readNamesIn } from './mentioned-files.ts';
import { createDiskLookup, placesOfNames } from './places-of-names.ts';

const IN_HOME =
  '.npmrc .yarnrc .yarnrc.yml .bunfig.toml .condarc .pip/pip.conf .cargo/config.toml .cargo/config .gemrc .bundle/config .gradle/gradle.properties .aws/config .kube/config .docker/config.json ' +
  '.ansible.cfg .mailcap .claude.json .claude/settings.json .claude/settings.local.json .codex/config.toml .gemini/settings.json .cursor/mcp.json .cursor/hooks.json .cursor/cli-config.json .codeium/windsurf/mcp_config.json ' +
  '.continue/config.yaml .continue/config.json .aider.conf.yml .crush.json .qwen/settings.json .factory/mcp.json .factory/settings.json .kiro/settings/mcp.json .aws/amazonq/mcp.json .copilot/mcp-config.json .copilot/config.json ' +
  '.junie/mcp/mcp.json .lmstudio/mcp.json .vscode-server/data/Machine/settings.json';
const IN_CONFIG =
  'starship.toml direnv/direnv.toml mise/config.toml opencode/opencode.json opencode/opencode.jsonc goose/config.yaml crush/crush.json amp/settings.json zed/settings.json zed/tasks.json ' +
  'helix/languages.toml helix/config.toml alacritty/alacritty.toml lazygit/config.yml gh/config.yml pip/pip.conf uv/uv.toml pypoetry/config.toml k9s/plugins.yaml yazi/yazi.toml topgrade.toml ' +
  'Claude/claude_desktop_config.json';
/** They have their settings in the folder of the system for those, each in one of its own. */
const EDITORS = [
  'Code',
  'Code - Insiders',
  'Code - OSS',
  'VSCodium',
  'Cursor',
  'Windsurf',
  'Trae',
  'Kiro',
  'Antigravity',
];
const OF_EDITOR = ['settings.json', 'tasks.json', 'mcp.json'];

/** Larger files contain records of use. */
const MOST_BYTES = 1024 * 1024;

/** Returns the full names of the files, also missing ones. Relative names start in the working directories. */
export function settingsInHome(
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
  roots: readonly string[],
): readonly string[] {
  const config = environment['XDG_CONFIG_HOME'] ?? path.join(home, '.config');
  const applications = path.join(home, 'Library/Application Support');
  const editors = [config, applications].flatMap((folder) =>
    EDITORS.flatMap((editor) => OF_EDITOR.map((name) => path.join(folder, editor, 'User', name))),
  );
  const files = [
    ...IN_HOME.split(' ').map((name) => path.join(home, name)),
    ...IN_CONFIG.split(' ').map((name) => path.join(config, name)),
    path.join(applications, 'Claude/claude_desktop_config.json'),
    ...editors,
  ];
  const found = new Set<string>();
  let left = MOST_BYTES;
  const disk = createDiskLookup();
  for (const file of files) {
    const read = readNamesIn(file, { form: 'settings', most: left, home });
    left -= read.size;
    for (const place of placesOfNames(read, roots, disk, 'full')) found.add(place);
  }
  return [...found].map((file) => file.replace(/(?<=.)\/$/, ''));
}
