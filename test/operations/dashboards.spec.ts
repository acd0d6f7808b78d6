/* Documents of any shape are looked into. */
/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-return */
import { describe, expect, it } from 'vitest';
import { ScriptedProvider } from '../support/identity-provider.js';
import { startRedis } from '../support/servers/redis.js';
import { startService } from '../support/service.js';
import { text, type Yaml, yaml } from './deployed-files.js';
import { METERED, scrape } from './scrape.js';

describe('metrics in deploy/', () => {
  const expressions = [
    ...yaml('prometheus/alerts.yaml').groups.flatMap(({ rules }: Yaml) =>
      rules.map(({ expr }: Yaml) => expr as string),
    ),
    ...(JSON.parse(text('grafana/dashboard.json')).panels as Yaml[]).flatMap(({ targets }) =>
      targets.map(({ expr }: Yaml) => expr),
    ),
  ] as string[];

  it('are all published by the service, with the labels they are asked for', async () => {
    const [provider, redis] = [await ScriptedProvider.start(), await startRedis()];
    const service = await startService({
      ...METERED,
      DATABASE_URL: 'sqlite::memory:',
      OAUTH_URI: provider.issuer,
      REDIS_URL: redis.url,
      TOMBSTONE_RETENTION_DAYS: '1',
    });
    const authorization = `Bearer ${await provider.sign()}`;
    await fetch(`${service.url}/v2/articles`, { headers: { authorization } });
    await fetch(`${service.url}/v2/nowhere`);
    const samples = [...(await scrape(service)).keys()];
    expect(expressions.length).toBeGreaterThan(25);
    for (const expression of expressions) {
      const wanted = [...expression.matchAll(/\b((?:reading_list|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
      for (const [, name, matchers = ''] of wanted) {
        const own = samples.filter((sample) => sample === name || sample.startsWith(`${name}{`));
        expect(own, name).not.toEqual([]);
        for (const [, label] of matchers.matchAll(/(\w+)=/g)) expect(own[0], name).toContain(`${label}="`);
      }
      for (const [, labels] of expression.matchAll(/by \(([^)]*)\)/g))
        for (const label of labels!.split(', '))
          expect(samples.some((sample) => sample.includes(`${label}="`))).toBe(true);
    }
    await service.kill();
    await redis.remove();
    await provider.close();
  });

  it('are scraped from the ports on which the instances publish them', () => {
    const [{ static_configs }] = yaml('prometheus/prometheus.yml').scrape_configs;
    const { one, two } = yaml('compose.yaml').services;
    const ports = [one, two].map(({ environment }: Yaml) => `127.0.0.1:${environment.METRICS_PORT}`);
    expect(static_configs[0].targets).toEqual(ports);
  });
});
