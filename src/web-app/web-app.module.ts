import { Module } from '@nestjs/common';
import { AccountController, WebAppController } from './web-app.controller.js';

/** Serves the build of the web application in `web/`, if `WEB_APP_ENABLED` is true. */
@Module({ controllers: [AccountController, WebAppController] })
export class WebAppModule {}
