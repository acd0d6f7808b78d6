import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import type { Service } from '../support/service.js';
import { startServiceWith } from '../support/service-with-provider.js';
import { type Example, examplesOf, isAsDocumented, readAnswers, run } from './examples.js';

let provider: DevelopmentProvider;
let service: Service;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ provider, service, close } = await startServiceWith(startDevelopmentProvider({ port: 0 })));
});
afterAll(() => close());

const addresses = () => ({ 'http://127.0.0.1:8000': service.url, 'http://127.0.0.1:9000': provider.issuer });

describe('the examples of docs/protocol.md', () => {
  const examples = examplesOf('docs/protocol.md');
  let printed: string[];

  beforeAll(async () => {
    printed = await run(examples, addresses());
  });

  it.each(examples.map((example, at) => [example.commands.split('\n')[0]!, example, at] as const))(
    'answer as it says: %s',
    (_, { answers }: Example, at) => {
      const actual = readAnswers(printed[at]!);
      expect(actual.map(({ status }) => status)).toEqual(answers.map(({ status }) => status));
      answers.forEach(({ headers, body }, index) => {
        expect(actual[index]!.headers).toEqual(expect.arrayContaining(headers));
        if (body !== undefined)
          expect(isAsDocumented(body, actual[index]!.body), JSON.stringify(actual[index])).toBe(true);
      });
    },
  );

  it('say what they are answered', () => {
    expect(examples.every(({ answers }) => answers.length > 0)).toBe(true);
  });
});

it('the examples of README.md succeed', async () => {
  const quiet = examplesOf('README.md').map((example) => ({
    ...example,
    commands: example.commands.replaceAll('curl ', 'curl --silent --fail '),
  }));
  expect(quiet.length).toBeGreaterThan(0);
  expect(await run(quiet, addresses())).toHaveLength(quiet.length);
});

it('the request of a shortcut in docs/home.md saves an article', async () => {
  const [example] = examplesOf('docs/home.md').filter(({ commands }) => commands.includes('/v2/articles'));
  const token = await provider.issue('shortcut');
  const commands = `TOKEN=${token}\n${example!.commands.replace('curl ', 'curl --silent --include ')}`;
  const [printed] = await run([{ ...example!, commands }], addresses());
  expect(readAnswers(printed!)).toEqual([expect.objectContaining({ status: 'HTTP/1.1 201 Created' })]);
});
