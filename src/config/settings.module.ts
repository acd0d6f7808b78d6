import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Settings } from './settings.js';

/** Injection token of the `Clock`. */
export const CLOCK = Symbol('Clock');

/** Injection token of the `MonotonicClock`. */
export const MONOTONIC_CLOCK = Symbol('MonotonicClock');

/** The current time in milliseconds since the Unix epoch. The clock may be adjusted, forwards and backwards. */
export type Clock = () => number;

/** Milliseconds since an arbitrary moment: for ages and pauses, which adjustments of the wall clock must not affect. */
export type MonotonicClock = () => number;

const monotonicClock: MonotonicClock = () => performance.now();

/** Provides the settings and the clocks to all modules. */
@Global()
@Module({})
export class SettingsModule {
  static forRoot(settings: Settings, clock: Clock): DynamicModule {
    return {
      module: SettingsModule,
      providers: [
        { provide: Settings, useValue: settings },
        { provide: CLOCK, useValue: clock },
        { provide: MONOTONIC_CLOCK, useValue: monotonicClock },
      ],
      exports: [Settings, CLOCK, MONOTONIC_CLOCK],
    };
  }
}
