import { randomUUID } from 'node:crypto';
import { type Deployment, NotHere } from './deployment.js';

/** How long credentials are in use: for the running test or the running file. */
type Period = 'test' | 'file';

let period: Period = 'file';
/** The `Authorization` headers in use, each with the period after which its articles are deleted. */
const used = new Map<string, Period>();
const names = new Map<string, string>();

export const beginTest = (): void => void (period = 'test');

/** Records that articles may have been stored with these credentials. */
export function noteUse(authorization: string | undefined): void {
  if (authorization && /^(basic|bearer) ./i.test(authorization) && !used.has(authorization))
    used.set(authorization, period);
}

/** Credentials for the user name: made up if Basic is enabled, otherwise one of the given test users. */
export function authorizationOf(deployment: Deployment, name: string = randomUUID()): string {
  if (!deployment.basic) return `Bearer ${tokenOf(deployment, name)}`;
  const authorization = `Basic ${Buffer.from(`${deployment.run}-${name}:secret`).toString('base64')}`;
  noteUse(authorization);
  return authorization;
}

/** The token of a given test user, reserved until the end of the test or file. */
export function tokenOf(deployment: Deployment, name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const token = deployment.tokens.find((candidate) => !used.has(`Bearer ${candidate}`));
  if (token === undefined)
    throw new NotHere(`needs tokens of more than ${deployment.tokens.length} test users at once`);
  names.set(name, token);
  noteUse(`Bearer ${token}`);
  return token;
}

/** The credentials whose period has ended; they can be reused once their articles are deleted. */
export function takeEnded(ended: Period): string[] {
  const done = [...used]
    .filter(([, until]) => ended === 'file' || until === 'test')
    .map(([credentials]) => credentials);
  for (const credentials of done) used.delete(credentials);
  for (const [name, token] of names) if (done.includes(`Bearer ${token}`)) names.delete(name);
  period = 'file';
  return done;
}
