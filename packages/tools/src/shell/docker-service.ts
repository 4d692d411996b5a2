/** Finds out whether the client of docker asks the service on this machine. Another one is reached through the network, also with `ssh`. */
import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readBoundedFile } from '../git/bounded-file.ts';
import { realTarget } from '../files/path.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A socket on this machine. */
const LOCAL_ADDRESS = /^(?:unix|npipe):\/\/\//;
/** Settings of docker are smaller. */
const MOST_BYTES = 262_144;

/**
 * Returns true if a command of docker without options connects only to a socket on this machine. It does not if variables, the
 * settings of the user or the chosen context name another service, or if another program has the name of docker.
 */
export function isDockerLocal(environment: Environment, home = os.homedir()): boolean {
  const { DOCKER_HOST, DOCKER_CONTEXT, DOCKER_CONFIG, HOME } = environment;
  if (environment['DOCKER_CLI_OTEL_EXPORTER_OTLP_ENDPOINT']) return false;
  if (!dockersIn(environment['PATH'] ?? '').every(isDocker)) return false;
  if (DOCKER_HOST) return LOCAL_ADDRESS.test(DOCKER_HOST);
  // Proven commands run without a `DOCKER_CONFIG` of the project. The settings in the home folder count then.
  const folders = [path.join(HOME || home, '.docker'), ...(DOCKER_CONFIG ? [DOCKER_CONFIG] : [])];
  return folders.every((folder) => {
    const context = DOCKER_CONTEXT || currentContext(path.join(folder, 'config.json'));
    return context !== undefined && (/^(?:default)?$/.test(context) || isContextLocal(folder, context));
  });
}

/** Returns an empty name if the settings choose no context. Undefined if they cannot be read. */
function currentContext(file: string): string | undefined {
  const read = readBoundedFile(file, MOST_BYTES);
  if (read.kind === 'absent') return '';
  const settings = read.kind === 'read' ? parsed(read.bytes) : undefined;
  if (settings === undefined) return undefined;
  const named = Object.entries(settings).filter(([name]) => name.toLowerCase() === 'currentcontext');
  const [value = ''] = named.map(([, context]): unknown => context);
  return named.length < 2 && typeof value === 'string' ? value : undefined;
}

/** Every address of the context is local, also those for measurements. */
function isContextLocal(folder: string, context: string): boolean {
  const id = createHash('sha256').update(context).digest('hex');
  const read = readBoundedFile(path.join(folder, 'contexts/meta', id, 'meta.json'), MOST_BYTES);
  const about = read.kind === 'read' ? parsed(read.bytes) : undefined;
  const addresses = textsIn(about).filter((text) => text.includes('://'));
  return addresses.length > 0 && addresses.every((text) => LOCAL_ADDRESS.test(text));
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function dockersIn(searchPath: string): readonly string[] {
  return searchPath
    .split(':')
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, 'docker'));
}

/** Podman comes with a script of this name, or is linked to it. It also has its own variables and settings. */
function isDocker(file: string): boolean {
  let descriptor: number | undefined;
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return true;
    const real = realTarget(file);
    descriptor = openSync(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const start = Buffer.alloc(START_OF_SCRIPT.length);
    readSync(descriptor, start, 0, start.length, 0);
    return (
      /^(?:docker|com\.docker\.)/.test(path.basename(real)) && start.toString('latin1') !== START_OF_SCRIPT
    );
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const START_OF_SCRIPT = '#!';
