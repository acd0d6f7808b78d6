import { ApiExcludeController } from '@nestjs/swagger';
import '../../articles/openapi/articles.docs.js';
import '../../auth/login/oauth.docs.js';
import '../../batch/batch.docs.js';
import '../../health/health.docs.js';
import { UnmatchedController } from '../../root/unmatched.controller.js';
import '../../root/root.docs.js';
import { AccountController } from '../../web-app/account.controller.js';
import { WebAppController } from '../../web-app/web-app.controller.js';
import '../open-api.docs.js';

// The imports describe all other controllers; these are not part of the API for clients.
for (const controller of [UnmatchedController, AccountController, WebAppController]) ApiExcludeController()(controller);
