import { join, resolve } from 'node:path';

/** A load balancer for HTTP servers on 127.0.0.1. */
export interface BalancerOptions {
  /** The ports of the servers, which are named s1, s2, … in the backend `app`. */
  backends: number[];
  /** Default: a free one. */
  port?: number;
  /** Failed checks before a server is removed; default 2. One successful check brings it back. */
  fall?: number;
}

/**
 * A round-robin configuration that checks `GET /__lbheartbeat__` every 200 ms; a request whose connection fails is
 * retried on another server.
 */
export function balancerConfig({ backends, port, fall = 2 }: BalancerOptions, freePort: number): string {
  const servers = backends.map((backend, index) => `  server s${index + 1} 127.0.0.1:${backend} check`);
  return `defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  timeout check 1s
  timeout http-keep-alive 60s
  option redispatch 1
  retries 3

frontend http
  bind 127.0.0.1:${port ?? freePort}
  default_backend app

backend app
  balance roundrobin
  option httpchk GET /__lbheartbeat__
  http-check expect status 200
  default-server inter 200ms fall ${fall} rise 1
${servers.join('\n')}
`;
}

/**
 * A configuration for Galera nodes, for `startHaproxy`: all connections go to the first node while it is in the
 * cluster, otherwise to another; connections to a node that has left are cut.
 */
export const galeraBalancerConfig = (nodePorts: number[], port: number): string =>
  databaseBalancerConfig(join(import.meta.dirname, 'wsrep-check.sh'), 'rise 2', nodePorts, port, ' backup');

const GROUP_CHECK = resolve('deploy/proxies/gr-check.sh');

/** The same for a replication group with one primary, which gets all connections once it accepts writes. */
export const groupBalancerConfig = (nodePorts: number[], port: number): string =>
  databaseBalancerConfig(GROUP_CHECK, 'rise 1', nodePorts, port, '');

function databaseBalancerConfig(check: string, rise: string, nodePorts: number[], port: number, others: string) {
  const servers = nodePorts.map(
    (node, index) => `  server n${index + 1} 127.0.0.1:${node} check${index > 0 ? others : ''}`,
  );
  return `global
  external-check
  insecure-fork-wanted

listen database
  mode tcp
  bind 127.0.0.1:${port}
  timeout connect 1s
  timeout client 10m
  timeout server 10m
  option external-check
  external-check path "/usr/bin:/bin"
  external-check command ${check}
  default-server inter 500ms fall 2 ${rise} on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}
