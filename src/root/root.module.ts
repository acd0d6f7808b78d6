import { Module } from '@nestjs/common';
import { UnmatchedController } from './unmatched.controller.js';
import { RootController } from './root.controller.js';

@Module({ controllers: [RootController, UnmatchedController] })
export class RootModule {}
