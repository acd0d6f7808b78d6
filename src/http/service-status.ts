import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { NOW, type Now } from '../config/now.js';
import { Settings } from '../config/settings.js';
import { supportEnded } from '../protocol/api-error.js';
import { alertHeader, isPastEnd, statusHeaders } from '../protocol/service-headers.js';
import { accessOf } from './access.js';
import { LoadMonitor } from './load-monitor.js';

/** What the headers currently tell all clients. */
@Injectable()
export class ServiceStatus {
  /** True at shutdown: the instance completes the requests in flight and wants no new ones. */
  draining = false;

  constructor(
    private readonly settings: Settings,
    @Inject(NOW) private readonly now: Now,
    readonly monitor: LoadMonitor,
  ) {}

  /** `Alert`, `Backoff`, `Retry-After` and, at shutdown, `Connection`, as a response with this status has them now. */
  headersOf(status: number): Record<string, string> {
    const { retryAfterSeconds, endOfService } = this.settings;
    const alert = endOfService && alertHeader(endOfService, this.now());
    const headers = statusHeaders(status, { retryAfterSeconds, backoffSeconds: this.backoffSeconds(), alert });
    if (this.draining) headers['Connection'] = 'close';
    return headers;
  }

  /** Under load a random value between 0.5 and 1.5 times the setting, so that not all clients return at once. */
  private backoffSeconds(): number | undefined {
    const { backoff, backoffSeconds } = this.settings;
    if (backoff === 'always') return backoffSeconds;
    if (backoff === 'off' || this.monitor.load === 'normal') return undefined;
    return Math.max(1, Math.round(backoffSeconds * (0.5 + Math.random())));
  }

  /** True when support has ended: articles, batch and login then respond 410. */
  isPastEnd(): boolean {
    const { endOfService } = this.settings;
    return endOfService !== undefined && isPastEnd(endOfService, this.now());
  }
}

/** Throws 410 / 202 after the end-of-support date. */
@Injectable()
export class EndOfServiceGuard implements CanActivate {
  constructor(private readonly status: ServiceStatus) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.status.isPastEnd() && !accessOf(context)?.outlivesService) throw supportEnded();
    return true;
  }
}
