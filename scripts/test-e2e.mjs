// Runs the black-box suites against a running service (docs/testing.md).
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { obtainTokens } from './e2e/oidc-tokens.mjs';
import { probe } from './e2e/probe.mjs';

const USAGE = `Usage: npm run test:e2e -- --url https://staging.example.com [options]

Runs the end-to-end suites against a running service, as given or made-up users.

  --url URL          base URL of the service, without /v2
  --basic            users with made-up names and Basic credentials
  --tokens FILE      bearer tokens of two or more test users, one per line (or the variable E2E_TOKENS)
  --oidc ISSUER      get tokens there: by client credentials, E2E_OIDC_CLIENT_ID and E2E_OIDC_CLIENT_SECRET, or, with
                     the client id alone, by the device flow. E2E_OIDC_SCOPE (readinglist) and E2E_OIDC_RESOURCE
                     (none) set scope and resource
  --allow-wipe       the given users may have articles, which are deleted
  --hostile          also send malformed and hostile requests; only without a load balancer in between
  --max-rate N       maximum requests per second (default 50)
  --junit FILE       write JUnit XML
  --html FILE        write an HTML report (default e2e-report.html)
  --only TEXT        only files whose path contains this
  --help

Trust your own CA with NODE_EXTRA_CA_CERTS=FILE. Exit status: 0 everything that can run here passed, 1 something failed,
2 wrong usage or the service can't be tested, 3 nothing could be executed.
`;

const { values: options } = readOptions();
if (options.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const url = readUrl();
const maxRate = Number(options['max-rate'] ?? 50);
if (!(maxRate > 0)) fail('--max-rate: must be a number greater than 0');

const tokens = await readTokens();
if (!options.basic && tokens.length === 0)
  fail('credentials: give --basic, --tokens FILE, E2E_TOKENS or --oidc ISSUER');
if (!options.basic && tokens.length < 2) fail('--tokens: tokens of at least two test users are needed');
const deployment = await probe(url, { basic: options.basic, tokens, allowWipe: options['allow-wipe'] }).catch((error) =>
  fail(error.message),
);
console.log(
  `${deployment.hello} ${deployment.version} at ${url}: ${deployment.capabilities.join(', ') || 'no capabilities'}`,
);

const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
const child = spawn(
  process.execPath,
  [vitest, 'run', '--config', 'vitest.e2e.config.mts', ...(options.only ? [options.only] : [])],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      E2E_TOKENS: '',
      E2E_OIDC_CLIENT_SECRET: '',
      E2E_URL: url,
      E2E_DEPLOYMENT: JSON.stringify({
        ...deployment,
        url,
        run: `e2e-${randomBytes(6).toString('hex')}`,
        basic: options.basic,
        tokens,
        maxRate,
        hostile: options.hostile,
      }),
      E2E_SECRETS: tokens.join('\n'),
      E2E_HOSTILE: String(options.hostile),
      E2E_JUNIT: options.junit ?? '',
      E2E_HTML: options.html ?? 'e2e-report.html',
    },
  },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (status) => (process.exitCode = status ?? 1));

function readOptions() {
  const flag = { type: 'boolean', default: false };
  const text = { type: 'string' };
  try {
    return parseArgs({
      options: {
        url: text,
        basic: flag,
        tokens: text,
        oidc: text,
        'allow-wipe': flag,
        hostile: flag,
        'max-rate': text,
        junit: text,
        html: text,
        only: text,
        help: flag,
      },
    });
  } catch (error) {
    return fail(error.message);
  }
}

function readUrl() {
  if (options.url === undefined) fail('--url: is required');
  if (!URL.canParse(options.url) || !/^https?:$/.test(new URL(options.url).protocol))
    fail(`--url: "${options.url}" is not an http or https URL`);
  return options.url.replace(/\/+$/, '').replace(/\/v2$/, '');
}

async function readTokens() {
  if (options.oidc) return obtainTokens(options.oidc, process.env).catch((error) => fail(`--oidc: ${error.message}`));
  let text = process.env.E2E_TOKENS ?? '';
  try {
    if (options.tokens) text = readFileSync(options.tokens, 'utf8');
  } catch (error) {
    fail(`--tokens: ${error.message}`);
  }
  return [...new Set(text.split(/[\s,]+/).filter((token) => token !== ''))];
}

function fail(message) {
  console.error(`${message}\nnpm run test:e2e -- --help explains everything`);
  process.exit(2);
}
