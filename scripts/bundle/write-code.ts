// Loaded before the bundle: collects the scripts that it creates, and writes their code when the program
// ends. If TERM is set, the pipes of the program look like a terminal.
import { writeFileSync } from 'node:fs';
import vm from 'node:vm';
import { codeFile } from './code-file.ts';

const scripts = new Map<string, vm.Script>();

class KeptScript extends vm.Script {
  constructor(source: string, options: vm.ScriptOptions) {
    super(source, options);
    if (options.filename !== undefined) scripts.set(options.filename, this);
  }
}

Object.assign(vm, { Script: KeptScript });
if (process.env['TERM'] !== undefined) {
  Object.assign(process.stdin, { isTTY: true, setRawMode: () => process.stdin });
  Object.assign(process.stdout, { isTTY: true, columns: 80, rows: 24 });
}
process.on('exit', () => {
  for (const [file, script] of scripts) writeFileSync(codeFile(file), script.createCachedData());
});
