/**
 * Variables of the user that lead Node to code. They are for the commands of the user: in an untrusted folder, a relative name would
 * lead this process to code of the project. `bin/heddle` renames such a variable before it starts Node.
 */
import { Module } from 'node:module';

/** A test compares them with the launcher. */
export const NODE_VARIABLES: readonly string[] = [
  'NODE_OPTIONS',
  'NODE_COMPILE_CACHE',
  'NODE_ICU_DATA',
  'OPENSSL_CONF',
  'OPENSSL_ENGINES',
  'OPENSSL_MODULES',
];

const RENAMED = 'HEDDLE_COMMANDS_';

type Variables = Record<string, string | undefined>;

/** The values that Node had at its start. */
const atStart = new Map<string, string | undefined>();

/** Called once, at the start. */
export function restoreNodeVariables(env: Variables): void {
  leaveGlobalPackages(env);
  for (const name of NODE_VARIABLES) {
    const value = env[RENAMED + name];
    delete env[RENAMED + name];
    atStart.set(name, env[name]);
    if (value !== undefined) env[name] = value;
  }
}

/** Returns the same variables for another process of this program, which starts without the launcher. */
export function nodeVariables(env: Readonly<Variables>): Readonly<Variables> {
  const changed = NODE_VARIABLES.filter((name) => env[name] !== atStart.get(name));
  return Object.fromEntries(
    changed.flatMap((name) => [
      [name, atStart.get(name)],
      [RENAMED + name, env[name]],
    ]),
  );
}

/**
 * Node reads `NODE_PATH` and the home folder for further folders of packages, and a project may be there. It has no public function
 * to read them again, so that they no longer count.
 */
function leaveGlobalPackages(env: Variables): void {
  const read: unknown = Reflect.get(Module, '_initPaths');
  if (typeof read !== 'function') return;
  const names = ['NODE_PATH', 'HOME', 'USERPROFILE'];
  const given = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  for (const name of names) delete env[name];
  Reflect.apply(read, Module, []);
  Object.assign(env, Object.fromEntries(given));
}
