/** The program. Only what every start needs is imported here; each command loads its own part. */
import { readArguments } from './arguments.ts';
import { COMMANDS } from './commands.ts';
import { say } from './terminal/say.ts';

const parsed = readArguments(process.argv.slice(2));
process.exitCode = await dispatch();

async function dispatch(): Promise<number> {
  if (!parsed.ok) {
    process.stderr.write(`heddle: ${parsed.message}\n`);
    return 2;
  }
  const { command } = parsed;
  switch (command.name) {
    case 'version': {
      const { default: manifest } = await import('../package.json', { with: { type: 'json' } });
      say(`${manifest.version} (Heddle)\n`);
      return 0;
    }
    case 'help':
      say((await import('./help/help.ts')).helpText());
      return 0;
    case 'own':
      return (await COMMANDS[command.command]())(command.argv);
    case 'chat':
      return (await import('./plain/chat.ts')).chat(command);
    case 'print':
      return (await import('./headless/print.ts')).print(command);
  }
}
