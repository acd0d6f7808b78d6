import mysql from 'mysql2/promise';
import type { User } from './data.js';
import { OPERATIONS } from './load/operations.js';
import type { Client, Subject } from './subjects.js';

const REQUESTS = 20;

/** The number of statements per operation, as counted by MariaDB. */
export async function statementsPerOperation(
  databaseUrl: string,
  client: Client,
  subject: Subject,
  users: User[],
): Promise<Record<string, number>> {
  const connection = await mysql.createConnection(databaseUrl);
  const questions = async (): Promise<number> => {
    const [rows] = await connection.query("SHOW GLOBAL STATUS LIKE 'Questions'");
    return Number((rows as { Value: string }[])[0]!.Value);
  };
  const counts: Record<string, number> = {};
  for (const { name } of OPERATIONS.filter((operation) => operation.users !== 'doomed')) {
    const facts = { port: subject.port, users, connections: 1, seconds: 30, size: 1000 };
    // The same requests as those that are counted, because the service remembers URLs that were posted.
    await client.run({ ...facts, operation: name, requests: REQUESTS, salt: `first-${subject.name}-${name}` });
    const before = await questions();
    await client.run({ ...facts, operation: name, requests: REQUESTS, salt: `counted-${subject.name}-${name}` });
    counts[name] = ((await questions()) - before - 1) / REQUESTS;
  }
  await connection.end();
  return counts;
}
