import { Command } from 'commander';
import { Resolver } from './resolver.js';
import { authorizationsIn } from './tokens.js';

const program = new Command('resolver')
  .description('Fills in the title, length and beginning of articles that were saved as bare URLs.')
  .requiredOption('--url <url>', 'the reading-list service')
  .requiredOption(
    '--token-file <path...>',
    'files with a token, or a name and a password (name:password), on each line',
  )
  .option('--robots', 'leave out pages that robots.txt disallows', false)
  .parse();
const { url, tokenFile, robots } = program.opts<{ url: string; tokenFile: string[]; robots: boolean }>();

try {
  const authorizations = (await Promise.all(tokenFile.map(authorizationsIn))).flat();
  const resolver = new Resolver({ url, authorizations, obeysRobots: robots, log: (message) => console.log(message) });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void resolver.stop());
  console.log(`watching ${authorizations.length} ${authorizations.length === 1 ? 'list' : 'lists'} of ${url}`);
  await resolver.run();
} catch (error) {
  console.error(error instanceof Error ? error.message.replace(/^baseUrl:/, '--url:') : error);
  process.exitCode = 1;
}
