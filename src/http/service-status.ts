import { LoadMonitor, type LoadSources } from './load/load-monitor.js';
import type { Clock } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { alertHeader, isPastEnd } from '../protocol/end-of-service.js';
import type { ServiceState } from '../protocol/service-headers.js';

/** What the status watches of the database. */
interface WatchedDatabase {
  /** True once it has been open. */
  readonly wasReached: boolean;
  usage: LoadSources['database'];
}

/** What the headers currently tell all clients. */
export class ServiceStatus {
  readonly monitor = new LoadMonitor();
  private isDraining = false;
  private database?: WatchedDatabase;

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly random: () => number = Math.random,
  ) {}

  /** Begins to watch the database and the event loop. */
  watch(database: WatchedDatabase): void {
    this.database = database;
    this.monitor.start({ database: () => database.usage(), connections: this.settings.databasePoolSize });
  }

  /** At shutdown: the instance completes the requests in flight and wants no new ones. */
  drain(): void {
    this.isDraining = true;
  }

  get draining(): boolean {
    return this.isDraining;
  }

  current(): ServiceState {
    const { retryAfterSeconds, endOfService } = this.settings;
    return {
      retryAfterSeconds,
      backoffSeconds: this.backoffSeconds(),
      alert: endOfService && alertHeader(endOfService, this.clock()),
    };
  }

  /** Why a load balancer should not use this instance; undefined if it should. */
  get reasonNotToServe(): string | undefined {
    if (this.draining) return 'This instance is shutting down';
    if (this.database?.wasReached === false) return 'This instance has not reached its database yet';
    return this.monitor.isStuck ? 'This instance refuses all requests' : undefined;
  }

  /**
   * Under load each client gets a random value between 0.5 and 1.5 times the setting, so that not all return at once.
   */
  private backoffSeconds(): number | undefined {
    const { backoff, backoffSeconds } = this.settings;
    if (backoff === 'always') return backoffSeconds;
    if (backoff === 'off' || this.monitor.load === 'normal') return undefined;
    return Math.max(1, Math.round(backoffSeconds * (0.5 + this.random())));
  }

  /** True when support has ended: articles, batch and login then respond 410. */
  isPastEnd(): boolean {
    const { endOfService } = this.settings;
    return endOfService !== undefined && isPastEnd(endOfService, this.clock());
  }
}
