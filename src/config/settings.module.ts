import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Settings } from './settings.js';

/** Injects milliseconds since the Unix epoch. They may be adjusted, so ages are measured by `performance.now()`. */
export const NOW = Symbol('Now');
export type Now = () => number;

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
