import manifest from '../package.json' with { type: 'json' };

process.stdout.write(`${manifest.version}\n`);
