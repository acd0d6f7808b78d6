import { describe, expect, it } from 'vitest';
import { isUuid, uuidBytes, uuidOf, uuidText } from '../../src/protocol/uuid.js';

describe('isUuid', () => {
  it.each([
    ['11111111-2222-4333-8444-555555555555', true],
    ['AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE', true],
    ['00000000-0000-0000-0000-000000000000', true],
    ['', false],
    ['11111111222243338444555555555555', false],
    ['{11111111-2222-4333-8444-555555555555}', false],
    ['11111111-2222-4333-8444-55555555555', false],
    ['11111111-2222-4333-8444-5555555555555', false],
    ['g1111111-2222-4333-8444-555555555555', false],
    ['11111111-2222-4333-8444-555555555555\n', false],
    [' 11111111-2222-4333-8444-555555555555', false],
  ])('of %j is %s', (text, expected) => {
    expect(isUuid(text)).toBe(expected);
  });
});

describe('the bytes of a UUID', () => {
  const uuid = '00112233-4455-6677-8899-aabbccddeeff';

  it('are its digits, in any case', () => {
    expect([...uuidBytes(uuid)].map((byte) => byte % 0x11)).toEqual(Array(16).fill(0));
    expect(uuidBytes(uuid.toUpperCase())).toEqual(uuidBytes(uuid));
    expect(uuidBytes(uuid)).toHaveLength(16);
  });

  it('become the same text again', () => {
    expect(uuidText(uuidBytes(uuid.toUpperCase()))).toBe(uuid);
    expect(uuidOf('00112233445566778899AABBCCDDEEFF')).toBe(uuid.toUpperCase());
  });
});
