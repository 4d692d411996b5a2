// Loaded before the bundle: collects the scripts that it creates, and writes their code when the program
// ends.
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
process.on('exit', () => {
  for (const [file, script] of scripts) writeFileSync(codeFile(file), script.createCachedData());
});
