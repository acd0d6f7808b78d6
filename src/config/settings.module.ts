import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Settings } from './settings.js';

/** Injects the current time in milliseconds since the Unix epoch. It may be adjusted, forwards and backwards. */
export const NOW = Symbol('Now');
export type Now = () => number;

/** Injects milliseconds since an arbitrary moment: for ages and pauses, which adjustments of the wall clock must not affect. */
export const MONOTONIC_NOW = Symbol('MonotonicNow');
export type MonotonicNow = () => number;

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
        { provide: MONOTONIC_NOW, useValue: () => performance.now() },
      ],
      exports: [Settings, NOW, MONOTONIC_NOW],
    };
  }
}
