import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Settings } from './settings.js';

/** Injection token of the frozen `Settings`. */
export const SETTINGS = Symbol('Settings');
/** Injection token of the `Clock`. */
export const CLOCK = Symbol('Clock');

/** Injection token of the `MonotonicClock`. */
export const MONOTONIC_CLOCK = Symbol('MonotonicClock');

/** The present time in milliseconds since the Unix epoch. It is corrected now and then, forwards and backwards. */
export type Clock = () => number;

/** Milliseconds since some moment: for ages and pauses, which last as long as they should whatever the time of day becomes. */
export type MonotonicClock = () => number;

const monotonicClock: MonotonicClock = () => performance.now();

/** Gives every module the settings and the clocks. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(settings: Settings, clock: Clock): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: CLOCK, useValue: clock },
        { provide: MONOTONIC_CLOCK, useValue: monotonicClock },
      ],
      exports: [SETTINGS, CLOCK, MONOTONIC_CLOCK],
    };
  }
}
