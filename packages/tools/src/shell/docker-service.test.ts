import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isDockerLocal } from './docker-service.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-docker-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Settings {
  readonly config?: string;
  /** Context → its description. */
  readonly contexts?: Readonly<Record<string, string>>;
}

let homes = 0;

function homeWith({ config, contexts = {} }: Settings): string {
  const home = path.join(base, String(homes++));
  const folder = path.join(home, '.docker');
  mkdirSync(folder, { recursive: true });
  if (config !== undefined) writeFileSync(path.join(folder, 'config.json'), config);
  for (const [name, about] of Object.entries(contexts)) {
    const id = createHash('sha256').update(name).digest('hex');
    mkdirSync(path.join(folder, 'contexts/meta', id), { recursive: true });
    writeFileSync(path.join(folder, 'contexts/meta', id, 'meta.json'), about);
  }
  return home;
}

function contextAt(Host: string, otel?: string): string {
  return JSON.stringify({ Name: 'x', Metadata: { otel }, Endpoints: { docker: { Host } } });
}

const LOCAL = contextAt('unix:///run/user/1/docker.sock', 'unix:///run/x.sock');
const USES_X = '{"auths":{},"currentContext":"x"}';

describe('the service of docker on this machine', () => {
  it.each<[Settings, Record<string, string>]>([
    [{}, {}],
    [{ config: '{}' }, {}],
    [{ config: '{"auths":{"https://index.docker.io/v1/":{}}}' }, {}],
    [{ config: '{"currentContext":""}' }, {}],
    [{ config: '{"currentContext":"default"}' }, {}],
    [{ config: USES_X, contexts: { x: LOCAL } }, {}],
    [{ contexts: { x: LOCAL } }, { DOCKER_CONTEXT: 'x' }],
    [{ config: USES_X }, { DOCKER_CONTEXT: 'default' }],
    [{ config: USES_X }, { DOCKER_HOST: 'unix:///var/run/docker.sock' }],
    [{}, { DOCKER_HOST: '', DOCKER_CONTEXT: '' }],
  ])('is asked with the settings %j and the variables %j', (settings, variables) => {
    expect(isDockerLocal(variables, homeWith(settings))).toBe(true);
  });

  it.each<[Settings, Record<string, string>]>([
    [{}, { DOCKER_HOST: 'ssh://me@host' }],
    [{}, { DOCKER_HOST: 'tcp://127.0.0.1:2375' }],
    [{}, { DOCKER_HOST: 'host:2375' }],
    [{}, { DOCKER_HOST: 'unix://./x' }],
    [{}, { DOCKER_HOST: ' ssh://host' }],
    [{ contexts: { x: LOCAL } }, { DOCKER_HOST: 'https://host', DOCKER_CONTEXT: 'x' }],
    [{}, { DOCKER_CONTEXT: 'missing' }],
    [{ contexts: { x: contextAt('ssh://host') } }, { DOCKER_CONTEXT: 'x' }],
    [{ config: USES_X }, {}],
    [{ config: USES_X, contexts: { x: contextAt('tcp://host:1') } }, {}],
    [{ config: USES_X, contexts: { x: contextAt('unix:///x', 'http://host') } }, {}],
    [{ config: USES_X, contexts: { x: '{}' } }, {}],
    [{ config: USES_X, contexts: { x: '[' } }, {}],
    [{ config: USES_X, contexts: { y: LOCAL } }, {}],
    [{ config: '{"CurrentContext":"x"}' }, {}],
    [{ config: '{"currentContext":"default","currentcontext":"x"}' }, {}],
    [{ config: '{"currentContext":1}' }, {}],
    [{ config: 'x' }, {}],
    [{ config: '[]' }, {}],
    [{}, { DOCKER_CLI_OTEL_EXPORTER_OTLP_ENDPOINT: 'http://host' }],
  ])('is not certain with the settings %j and the variables %j', (settings, variables) => {
    expect(isDockerLocal(variables, homeWith(settings))).toBe(false);
  });

  it('depends on the settings of DOCKER_CONFIG, HOME and the home folder', () => {
    const [remote, local] = [homeWith({ config: USES_X }), homeWith({})];
    expect(isDockerLocal({ HOME: remote }, local)).toBe(false);
    expect(isDockerLocal({ HOME: local }, remote)).toBe(true);
    expect(isDockerLocal({ DOCKER_CONFIG: path.join(remote, '.docker') }, local)).toBe(false);
    expect(isDockerLocal({ DOCKER_CONFIG: path.join(local, '.docker') }, remote)).toBe(false);
    expect(isDockerLocal({ DOCKER_CONFIG: path.join(local, '.docker') }, local)).toBe(true);
  });

  it('is not asked by another program with this name', () => {
    const [scripts, links, plain] = ['scripts', 'links', 'plain'].map((name) => path.join(base, name));
    for (const [folder, name, text] of [
      [scripts, 'docker', '#!/bin/sh\nexec podman "$@"\n'],
      [links, 'podman', '\x7fELF'],
      [plain, 'docker', '\x7fELF'],
    ] as const) {
      mkdirSync(String(folder), { recursive: true });
      writeFileSync(path.join(String(folder), name), text);
      chmodSync(path.join(String(folder), name), 0o755);
    }
    symlinkSync('podman', path.join(String(links), 'docker'));
    const home = homeWith({});
    expect(isDockerLocal({ PATH: `${plain}:/no/such/folder` }, home)).toBe(true);
    for (const folder of [scripts, links])
      expect(isDockerLocal({ PATH: `${plain}:${folder}` }, home)).toBe(false);
  });
});
