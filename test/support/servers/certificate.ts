import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './command.js';
import { ensureDebianPackages } from './packages.js';

/** The files of a certificate for 127.0.0.1 and localhost, signed by its own CA. */
export interface Certificate {
  /** The CA's certificate. */
  ca: string;
  /** Certificate and private key in one file, as HAProxy expects. */
  bundle: string;
}

/** Creates a CA and a certificate below `folder`, valid for a day. */
export async function createCertificate(folder: string): Promise<Certificate> {
  await ensureDebianPackages({ openssl: 'openssl' });
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => runCommand('openssl', args);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const ca = ['req', '-x509', ...key, '-days', '1', '-subj', '/CN=Test CA', '-keyout', file('ca.key')];
  await openssl(...ca, '-out', file('ca.pem'));
  await openssl('req', ...key, '-subj', '/CN=127.0.0.1', '-keyout', file('server.key'), '-out', file('server.csr'));
  await writeFile(file('names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const signing = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '1'];
  const names = ['-extfile', file('names')];
  await openssl('x509', '-req', '-in', file('server.csr'), ...signing, ...names, '-out', file('server.pem'));
  const parts = await Promise.all(['server.pem', 'server.key'].map((name) => readFile(file(name), 'utf8')));
  await writeFile(file('bundle.pem'), parts.join(''));
  return { ca: file('ca.pem'), bundle: file('bundle.pem') };
}
