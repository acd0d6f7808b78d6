import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Settings } from './settings.js';

/**
 * Injects the current time in milliseconds since the Unix epoch. It may be adjusted, forwards and backwards, so ages and pauses
 * are measured by `performance.now()`.
 */
export const NOW = Symbol('Now');
export type Now = () => number;

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
      ],
      exports: [Settings, NOW],
    };
  }
}
