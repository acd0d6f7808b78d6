import { userInfo } from 'node:os';

/**
 * Writes a line of the audit log: who runs the command, what it does, and whose data it is about. It has the form of the
 * service's log and goes to stderr, as standard output is for the result.
 *
 * @param whose the user as the operator named it
 */
export function writeAudit(what: string, whose: string, account?: Buffer): void {
  const entry = { context: 'Audit', who: operator(), what, whose, account: account?.toString('hex') };
  console.error(JSON.stringify({ level: 'info', time: new Date().toISOString(), ...entry, msg: `${what}: ${whose}` }));
}

/** The operating system's user, who need not have a name in a container. */
function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
