import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Settings } from './settings.js';

/** Injection token of the `Clock`. */
export const NOW = Symbol('Now');

/** Injection token of the `MonotonicNow`. */
export const MONOTONIC_NOW = Symbol('MonotonicNow');

/** The current time in milliseconds since the Unix epoch. It may be adjusted, forwards and backwards. */
export type Now = () => number;

/** Milliseconds since an arbitrary moment: for ages and pauses, which adjustments of the wall clock must not affect. */
export type MonotonicNow = () => number;

const monotonicNow: MonotonicNow = () => performance.now();

/** Provides the settings and the time to all modules. */
@Global()
@Module({})
export class SettingsModule {
  static forRoot(settings: Settings, now: Now): DynamicModule {
    return {
      module: SettingsModule,
      providers: [
        { provide: Settings, useValue: settings },
        { provide: NOW, useValue: now },
        { provide: MONOTONIC_NOW, useValue: monotonicNow },
      ],
      exports: [Settings, NOW, MONOTONIC_NOW],
    };
  }
}
