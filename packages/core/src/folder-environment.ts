/** The environment of a program that starts in another folder than this process. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment with this folder as the current one. Programs believe `PWD`, and would find the files of the folder that this
 * process started in. Pure.
 */
export function environmentIn(folder: string, environment: Environment): Environment {
  if (environment['PWD'] === folder) return environment;
  const { OLDPWD: _, ...others } = environment;
  return { ...others, PWD: folder };
}
