import { describe, expect, it } from 'vitest';
import { alertHeader, isPastEnd } from '../../src/protocol/service-headers.js';

const date = '2030-06-15';
const lastMoment = Date.parse('2030-06-15T23:59:59.999Z');

describe('the end of service', () => {
  it.each([
    [Date.parse('2029-01-01'), false],
    [Date.parse('2030-06-15T00:00:00Z'), false],
    [lastMoment, false],
    [lastMoment + 1, true],
    [Date.parse('2031-01-01'), true],
  ])('at %i is past: %s', (now, expected) => {
    expect(isPastEnd({ date }, now)).toBe(expected);
  });
});

describe('the alert', () => {
  it.each([
    [lastMoment, 'soft-eol'],
    [lastMoment + 1, 'hard-eol'],
  ])('at %i has the code %s', (now, code) => {
    expect(JSON.parse(alertHeader({ date }, now))).toEqual({ code });
  });

  it('holds the message and the address', () => {
    const end = { date, message: 'Please upgrade', url: 'https://example.com/upgrade' };
    expect(alertHeader(end, lastMoment)).toBe(
      '{"code":"soft-eol","message":"Please upgrade","url":"https://example.com/upgrade"}',
    );
  });

  it('is ASCII whatever the message', () => {
    const message = 'Schluß ✓ 😀\r\nSet-Cookie: a=b \u007f';
    const header = alertHeader({ date, message }, lastMoment);
    expect(header).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(header)).toMatchObject({ message });
  });
});
