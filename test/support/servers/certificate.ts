import { mkdir, readFile, writeFile } from 'node:fs/promises';
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

/** A CA that issues certificates below its folder. */
export interface Authority {
  /** The CA's certificate. */
  ca: string;
  /**
   * Issues a certificate. The same name again replaces its files.
   * @param names such as `DNS:localhost,IP:127.0.0.1`
   * @param days negative for one that has expired
   */
  issue(name: string, names: string, days?: number): Promise<{ cert: string; key: string }>;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Creates a CA, valid for a day. */
export async function createAuthority(folder: string): Promise<Authority> {
  await ensureDebianPackages({ openssl: 'openssl' });
  await mkdir(folder, { recursive: true });
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => runCommand('openssl', args);
  const subject = ['-days', '1', '-subj', '/CN=Test CA'];
  await openssl('req', '-x509', ...NEW_KEY, ...subject, '-keyout', file('ca.key'), '-out', file('ca.pem'));
  return {
    ca: file('ca.pem'),
    issue: async (name, names, days = 1) => {
      const [request, extensions] = [file(`${name}.csr`), file(`${name}.names`)];
      const issued = { cert: file(`${name}.pem`), key: file(`${name}.key`) };
      await openssl('req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', issued.key, '-out', request);
      await writeFile(extensions, `subjectAltName=${names}\n`);
      const signing = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', String(days)];
      await openssl('x509', '-req', '-in', request, ...signing, '-extfile', extensions, '-out', issued.cert);
      return issued;
    },
  };
}

/** Creates a CA and a certificate below `folder`, valid for a day. */
export async function createCertificate(folder: string): Promise<Certificate> {
  const authority = await createAuthority(folder);
  const { cert, key } = await authority.issue('127.0.0.1', 'IP:127.0.0.1,DNS:localhost');
  const bundle = join(folder, 'bundle.pem');
  const parts = await Promise.all([cert, key].map((path) => readFile(path, 'utf8')));
  await writeFile(bundle, parts.join(''));
  return { ca: authority.ca, bundle };
}
