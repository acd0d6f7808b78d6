import { randomUUID } from 'node:crypto';
import { type Deployment, NotHere } from './deployment.js';

/** Who is used for how long: by the running test, or by the running file. */
type Period = 'test' | 'file';

let period: Period = 'file';
/** `Authorization` headers that were used, each with the period after which its articles are deleted. */
const used = new Map<string, Period>();
const names = new Map<string, string>();

export const beginTest = (): void => void (period = 'test');

/** Remembers that articles may have been stored with these credentials. */
export function noteUse(authorization: string | undefined): void {
  if (authorization && /^(basic|bearer) ./i.test(authorization) && !used.has(authorization))
    used.set(authorization, period);
}

/** Credentials of the user of that name: made up where Basic is allowed, else one of the given test users. */
export function authorizationOf(deployment: Deployment, name: string = randomUUID()): string {
  if (!deployment.basic) return `Bearer ${tokenOf(deployment, name)}`;
  const authorization = `Basic ${Buffer.from(`${deployment.run}-${name}:secret`).toString('base64')}`;
  noteUse(authorization);
  return authorization;
}

/** The token of one of the given test users, who is nobody else's until the end of the test or file. */
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

/** The credentials whose period is over; they may be used anew once their articles are gone. */
export function takeEnded(ended: Period): string[] {
  const done = [...used]
    .filter(([, until]) => ended === 'file' || until === 'test')
    .map(([credentials]) => credentials);
  for (const credentials of done) used.delete(credentials);
  for (const [name, token] of names) if (done.includes(`Bearer ${token}`)) names.delete(name);
  period = 'file';
  return done;
}
