/** A home and a project of its own for each test. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadSettings, type SettingsRequest } from '../load-settings.ts';
import { permissionSettings } from '../permission-settings.ts';
import { trustFolder } from '../trust.ts';

export interface SettingsHome {
  readonly home: string;
  readonly project: string;
  readonly managed: string;
  readonly write: (file: string, value: unknown) => string;
  readonly read: (file: string) => unknown;
  /** Trusts the project. */
  readonly trust: (cwd?: string) => void;
  readonly load: (more?: Partial<SettingsRequest>) => ReturnType<typeof loadSettings>;
  readonly permissions: (more?: Partial<SettingsRequest>) => ReturnType<typeof permissionSettings>;
}

export function createSettingsHome(): SettingsHome {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-settings-'));
  const [home, project, managed] = ['home', 'project', 'managed'].map((name) => path.join(folder, name));
  if (home === undefined || project === undefined || managed === undefined) throw new Error('unreachable');
  for (const place of [home, project, managed]) mkdirSync(place);
  const load = (more: Partial<SettingsRequest> = {}) =>
    loadSettings({ cwd: project, home, env: {}, managedDir: managed, projectRoot: project, ...more });
  return {
    home,
    project,
    managed,
    write(file, value) {
      const target = path.resolve(folder, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, typeof value === 'string' ? value : JSON.stringify(value));
      return target;
    },
    read: (file): unknown => JSON.parse(readFileSync(path.resolve(folder, file), 'utf8')),
    trust: (cwd = project) => void trustFolder({ cwd, home, env: {} }),
    load,
    permissions: (more) => permissionSettings(load(more), home),
  };
}
