import type { DataSource, EntityManager } from 'typeorm';
import type { Session } from '../session.js';

/** A query builder of any kind. */
interface Builder {
  getQuery(): string;
}

/**
 * A statement that is sent often: TypeORM builds it once for each data source, which takes up to 150 µs, and from then on it is
 * a text. Its values are `?`, given in their order when it is sent.
 */
export function keptStatement(build: (entities: EntityManager) => Builder): (session: Session) => string {
  const texts = new WeakMap<DataSource, string>();
  return ({ dataSource }) => {
    let text = texts.get(dataSource);
    if (text === undefined) texts.set(dataSource, (text = build(dataSource.manager).getQuery()));
    return text;
  };
}
