// `npm run migrate`, and what units and jobs of deployments call: the command of that name.
process.argv.splice(2, 0, 'migrate');
await import('./commands/cli.js');
