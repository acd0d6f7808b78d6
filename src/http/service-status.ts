import type { Clock } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { alertHeader, isPastEnd } from '../protocol/end-of-service.js';
import type { ServiceState } from '../protocol/service-headers.js';

/** What the service currently tells all clients in its headers. */
export class ServiceStatus {
  /** Set once, at shutdown: the instance finishes what it has and wants nothing new. */
  draining = false;

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  current(): ServiceState {
    const { backoff, backoffSeconds, retryAfterSeconds, endOfService } = this.settings;
    return {
      retryAfterSeconds,
      backoffSeconds: backoff === 'always' ? backoffSeconds : undefined,
      alert: endOfService && alertHeader(endOfService, this.clock()),
    };
  }

  /** True when the service has ended and articles, batch and login answer 410. */
  isPastEnd(): boolean {
    const { endOfService } = this.settings;
    return endOfService !== undefined && isPastEnd(endOfService, this.clock());
  }
}
