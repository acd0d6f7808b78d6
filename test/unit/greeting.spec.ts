import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { greeting } from '../../src/greeting.js';

const at = (address: string, { family = 'IPv4', internal = false } = {}): NetworkInterfaceInfo =>
  ({ address, family, internal }) as NetworkInterfaceInfo;

const INTERFACES = {
  lo: [at('127.0.0.1', { internal: true })],
  eth0: [at('169.254.7.7'), at('192.168.1.20'), at('fe80::1', { family: 'IPv6' })],
  wlan0: [at('10.0.0.7')],
};

const WITH_ALL = { port: 8000, webAppEnabled: true, basicAuthEnabled: true };

describe('the greeting', () => {
  it('names this machine, and how to reach the service from a phone', () => {
    const lines = greeting({ ...WITH_ALL, host: '127.0.0.1' }, INTERFACES);
    expect(lines).toContain('the web application: http://127.0.0.1:8000/app/');
    expect(lines).toContain('documentation: http://127.0.0.1:8000/docs');
    expect(lines.at(-1)).toBe('for phones on the same network: npm start -- --lan');
  });

  it.each(['0.0.0.0', '::'])('names the addresses in the local network when the service listens on %s', (host) => {
    const lines = greeting({ ...WITH_ALL, host }, INTERFACES);
    expect(lines).toContain('documentation: http://127.0.0.1:8000/docs');
    expect(lines).toContain(
      'on a phone on the same network: http://192.168.1.20:8000/app/ or http://10.0.0.7:8000/app/',
    );
    expect(lines.some((line) => line.includes('▀'))).toBe(true);
    expect(lines.at(-1)).toMatch(/^Any name and password opens a list: for trying out only/);
  });

  it('names nothing that is turned off', () => {
    const settings = { port: 8000, webAppEnabled: false, basicAuthEnabled: false };
    const text = greeting({ ...settings, host: '0.0.0.0' }, INTERFACES).join('\n');
    expect(text).toContain('npm run commands -- token create');
    expect(text).toContain('http://10.0.0.7:8000/docs');
    expect(text).not.toMatch(/\/app\/|curl -u|password/);
  });

  it('says that there is no network', () => {
    const lines = greeting({ ...WITH_ALL, host: '0.0.0.0' }, { lo: INTERFACES.lo });
    expect(lines.at(-1)).toBe('this machine has no address on a local network');
  });

  it('writes IPv6 addresses in brackets', () => {
    expect(greeting({ ...WITH_ALL, host: '::1', port: 1 }, {})).toContain('documentation: http://[::1]:1/docs');
  });
});
