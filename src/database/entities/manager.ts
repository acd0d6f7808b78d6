import { type DataSource, type EntityManager, QueryResult, type QueryRunner } from 'typeorm';
import type { Parameter, Session } from '../session.js';

/**
 * TypeORM's repositories and query builders, whose statements are like any others of the session. Valid as long as that.
 * For rare operations: building a statement takes up to 150 µs.
 */
export function managerOn(session: Session): EntityManager {
  const { dataSource } = session;
  const query = async (sql: string, parameters: Parameter[] = [], isStructured = false): Promise<unknown> => {
    const result = new QueryResult();
    if (/^\s*(SELECT|WITH|PRAGMA)\b/i.test(sql)) {
      result.raw = result.records = await session.rows(sql, parameters);
    } else {
      const written = (result.raw = await session.run(sql, parameters));
      result.affected = written.affectedRows;
    }
    return isStructured ? result : (result.raw as unknown);
  };
  // A query runner of its own, without a connection: for SQLite TypeORM creates only one, which all share.
  const Runner = dataSource.createQueryRunner().constructor as new (driver: DataSource['driver']) => QueryRunner;
  return dataSource.createEntityManager(Object.assign(new Runner(dataSource.driver), { query }));
}
