import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HealthController } from './health.controller.js';

/** How the service is, for operators and load balancers. */
@Module({ imports: [AuthModule], controllers: [HealthController] })
export class HealthModule {}
