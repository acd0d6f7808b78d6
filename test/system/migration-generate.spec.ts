import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { dataSourceForSchema } from '../../src/database/data-source.js';
import { articleEntity } from '../../src/database/entities/article.entity.js';
import { columnTypes } from '../../src/database/entities/columns.js';
import { ARTICLE_FIELDS } from '../../src/protocol/fields.js';
import type { DatabaseServer } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';

type Generated = new () => { up(runner: unknown): Promise<void> };

const FIELDS_AND_ONE = { ...ARTICLE_FIELDS, one_more: 'device' } as const;

/** An `ormconfig` like the service's, but for one more field. */
const ORMCONFIG = `
import { DataSource } from '${pathToFileURL(resolve('node_modules/typeorm/index.mjs')).href}';
import { dataSourceForSchema } from '${pathToFileURL(resolve('dist/src/database/data-source.js')).href}';
import { articleEntity } from '${pathToFileURL(resolve('dist/src/database/entities/article.entity.js')).href}';
import { columnTypes } from '${pathToFileURL(resolve('dist/src/database/entities/columns.js')).href}';
import { readSettings } from '${pathToFileURL(resolve('dist/src/config/load-settings.js')).href}';

const { options } = await dataSourceForSchema(readSettings({ NODE_ENV: 'test', DATABASE_URL: process.env.DATABASE_URL }));
const article = articleEntity(columnTypes(options.type), ${JSON.stringify(FIELDS_AND_ONE)});
const others = options.entities.filter(({ options }) => options.tableName !== 'articles');
export default new DataSource({ ...options, entities: [...others, article] });
`;

const starts: Record<string, (() => Promise<DatabaseServer>) | undefined> = {
  SQLite: undefined,
  MariaDB: startMariaDb,
  MySQL: startMysql,
};

describe.each(Object.keys(starts))('a migration for one more field, generated on %s', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'reading-list-'));
  let server: DatabaseServer | undefined;
  let url: string;
  let dataSource: DataSource;

  beforeAll(async () => {
    server = await starts[name]?.();
    url = (await server?.createDatabase('generate')) ?? `sqlite:${join(folder, 'generate.sqlite')}`;
    const { options } = await dataSourceForSchema(readSettings({ NODE_ENV: 'test', DATABASE_URL: url }));
    const types = columnTypes(options.type);
    const article = articleEntity(types, FIELDS_AND_ONE);
    dataSource = await new DataSource({ ...options, entities: [article] }).initialize();
    await dataSource.runMigrations({ transaction: 'none' });
  });

  afterAll(async () => {
    await dataSource.destroy();
    await server?.remove();
  });

  it('adds the column that the entity describes, and keeps what is stored', async () => {
    await dataSource.query(
      name === 'SQLite'
        ? "INSERT INTO articles (account, id, last_modified, deleted) VALUES (x'00112233445566778899aabbccddeeff', x'00112233445566778899aabbccddeeff', 5, 1)"
        : "INSERT INTO articles (account, id, last_modified, deleted) VALUES (REPEAT('a', 16), REPEAT('b', 16), 5, 1)",
    );
    const ormconfig = join(folder, 'ormconfig.mjs');
    writeFileSync(ormconfig, ORMCONFIG);
    await promisify(execFile)(
      process.execPath,
      [
        resolve('node_modules/typeorm/cli.js'),
        'migration:generate',
        ...['-d', ormconfig, '--outputJs', '--esm'],
        join(folder, 'AddOneMore'),
      ],
      { env: { PATH: process.env.PATH, DATABASE_URL: url } },
    );
    const [file] = readdirSync(folder).filter((one) => one.endsWith('-AddOneMore.js'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const exported = (await import(/* @vite-ignore */ pathToFileURL(join(folder, file!)).href)) as Record<
      string,
      Generated
    >;
    const Migration = Object.values(exported)[0]!;
    await new Migration().up(dataSource.createQueryRunner());
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
    const rows = await dataSource.query<object[]>('SELECT last_modified, one_more FROM articles');
    expect(rows).toEqual([{ last_modified: 5, one_more: null }]);
  });
});
