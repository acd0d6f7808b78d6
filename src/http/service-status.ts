import { LoadMonitor } from './load/load-monitor.js';
import type { Clock } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { alertHeader, isPastEnd } from '../protocol/end-of-service.js';
import type { ServiceState } from '../protocol/service-headers.js';

/** What the service currently tells all clients in its headers. */
export class ServiceStatus {
  /** Set once, at shutdown: the instance finishes what it has and wants nothing new. */
  draining = false;

  /** Whether the database could be used at least once since the start. */
  hasReachedDatabase: () => boolean = () => true;

  readonly monitor = new LoadMonitor();

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly random: () => number = Math.random,
  ) {}

  current(): ServiceState {
    const { retryAfterSeconds, endOfService } = this.settings;
    return {
      retryAfterSeconds,
      backoffSeconds: this.backoffSeconds(),
      alert: endOfService && alertHeader(endOfService, this.clock()),
    };
  }

  /** What keeps this instance from taking requests; undefined while it is of use to a load balancer. */
  get reasonNotToServe(): string | undefined {
    if (this.draining) return 'This instance is shutting down';
    if (!this.hasReachedDatabase()) return 'This instance has not reached its database yet';
    return this.monitor.isStuck ? 'This instance refuses all requests' : undefined;
  }

  /** Under load every client is told another time between half and one and a half of the setting, so that not all return at once. */
  private backoffSeconds(): number | undefined {
    const { backoff, backoffSeconds } = this.settings;
    if (backoff === 'always') return backoffSeconds;
    if (backoff === 'off' || this.monitor.load === 'normal') return undefined;
    return Math.max(1, Math.round(backoffSeconds * (0.5 + this.random())));
  }

  /** True when the service has ended and articles, batch and login answer 410. */
  isPastEnd(): boolean {
    const { endOfService } = this.settings;
    return endOfService !== undefined && isPastEnd(endOfService, this.clock());
  }
}
