import { randomUUID } from 'node:crypto';

const ACCEPTABLE = /^[\w.:+=@-]{1,64}$/;

/** The request's id: the one that the client or load balancer sent if it is short and plain, otherwise a new UUID. */
export const requestIdOf = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
