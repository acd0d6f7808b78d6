import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Settings } from './settings.js';

/** Injection token of the frozen `Settings`. */
export const SETTINGS = Symbol('Settings');
/** Injection token of the `Clock`. */
export const CLOCK = Symbol('Clock');

/** The present time in milliseconds since the Unix epoch. */
export type Clock = () => number;

/** Gives every module the settings and the clock. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(settings: Settings, clock: Clock): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: CLOCK, useValue: clock },
      ],
      exports: [SETTINGS, CLOCK],
    };
  }
}
