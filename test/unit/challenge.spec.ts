import { expect, it } from 'vitest';
import { challenge } from '../../src/auth/auth.guard.js';

it.each([
  ['My list (2)', 'My list (2)'],
  ['Später lesen', 'reading list'],
  ['読書リスト', 'reading list'],
  ['My "list"', 'reading list'],
  ['C:\\list', 'reading list'],
])('the realm of the service %j is %j', (serviceName, realm) => {
  expect(challenge({ serviceName, basicAuthEnabled: true })).toBe(
    `Bearer realm="${realm}", Basic realm="${realm}", charset="UTF-8"`,
  );
});
