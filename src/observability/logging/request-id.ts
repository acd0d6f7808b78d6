import { randomUUID } from 'node:crypto';

const ACCEPTABLE = /^[\w.:+=@-]{1,64}$/;

/** The request's id: what the client or the balancer sent when it is short and plain, else a new UUID. */
export const requestIdOf = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
