import { All, Controller } from '@nestjs/common';
import { ApiError } from '../../protocol/api-error.js';
import { Public } from '../public.js';

/** Takes the place of the login where no identity provider is configured: 404 / 111 for every method. */
@Public()
@Controller()
export class NoProviderController {
  @All('{*path}')
  refuse(): never {
    throw new ApiError('notFound', 'No identity provider is set up here (OAUTH_URI): sign in with a personal token');
  }
}
