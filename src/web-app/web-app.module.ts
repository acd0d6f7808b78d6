import { Module } from '@nestjs/common';
import { AccountController } from './account.controller.js';
import { WebAppController } from './web-app.controller.js';

/** The web application in `web/`, served from what its build made. Part of the service while `WEB_APP_ENABLED` is true. */
@Module({ controllers: [AccountController, WebAppController] })
export class WebAppModule {}
