import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ifModifiedSince, ifUnmodifiedSince, preferWait } from '../../docs/vocabulary/conditions.js';
import { describeController } from '../../docs/vocabulary/describe-controller.js';
import { authenticatedErrors, operationResponse } from '../../docs/vocabulary/responses.js';
import { anyCredentials } from '../../docs/vocabulary/security.js';
import { START_OVER_HEADER } from '../../protocol/purge-horizon.js';
import { ArticlesController } from '../articles.controller.js';
import { EXAMPLES } from './article-examples.docs.js';
import { filters, pages } from './article-parameters.docs.js';
import {
  ArticleDto,
  ArticleFieldsDto,
  ArticlePatchDto,
  ListingDto,
  NewArticleDto,
  TombstoneDto,
  TombstonesDto,
} from './article-schemas.docs.js';

const operation = (operationId: string, summary: string, description: string): MethodDecorator =>
  applyDecorators(ApiOperation({ operationId, summary, description }), ...anyCredentials(), ifUnmodifiedSince());

const recordId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of an article.', schema: { type: 'string', format: 'uuid' } });

describeController(ArticlesController, ApiTags('articles'), {
  list: applyDecorators(
    operation(
      'listArticles',
      'List articles',
      'One page of the articles that match all filters. With a filter on `last_modified`, which includes `_since` and `_to`, ' +
        'tombstones are listed too. Unknown parameters are rejected, unless they begin with `_`.',
    ),
    ...filters(),
    ...pages(),
    ...ifModifiedSince('Preference-Applied'),
    preferWait(),
    operationResponse(200, 'A page of the listing.', {
      type: ListingDto,
      examples: EXAMPLES.list,
      headers: ['Last-Modified', 'Total-Records', 'Next-Page', START_OVER_HEADER, 'Preference-Applied'],
    }),
    ...authenticatedErrors('invalidParameter', 'modifiedMeanwhile'),
  ),

  count: ApiOperation({
    operationId: 'countArticles',
    summary: 'Count articles',
    description: 'The same headers as GET, including `Total-Records`, without the list.',
  }),

  create: applyDecorators(
    operation(
      'createArticle',
      'Create an article',
      'Stores a new article, or returns the live one that has the same `url` or the same `resolved_url`.',
    ),
    ApiBody({ type: NewArticleDto, examples: EXAMPLES.create }),
    operationResponse(201, 'The new article.', { type: ArticleDto, examples: EXAMPLES.article }),
    operationResponse(200, 'The existing article, unchanged.', { type: ArticleDto, examples: EXAMPLES.article }),
    ...authenticatedErrors(
      'malformedJson',
      'invalidParameter',
      'missingParameter',
      'invalidPostedData',
      'lengthRequired',
      'modifiedMeanwhile',
      'bodyTooLarge',
    ),
  ),

  removeAll: applyDecorators(
    operation(
      'deleteArticles',
      'Delete articles',
      'Deletes **all** live articles that match the filters, or all live articles if there are no filters. `_sort`, `_limit` ' +
        'and `_token` are rejected. The service may disable this operation: 405.',
    ),
    ...filters(),
    operationResponse(200, 'The tombstones of the deleted articles.', {
      type: TombstonesDto,
      examples: EXAMPLES.tombstones,
    }),
    ...authenticatedErrors('invalidParameter', 'methodNotAllowed', 'modifiedMeanwhile'),
  ),

  read: applyDecorators(
    operation('readArticle', 'Read an article', 'One live article.'),
    recordId(),
    ...ifModifiedSince(),
    operationResponse(200, 'The article.', {
      type: ArticleDto,
      examples: EXAMPLES.article,
      headers: ['Last-Modified'],
    }),
    ...authenticatedErrors('invalidParameter', 'invalidId', 'notFound', 'modifiedMeanwhile'),
  ),

  patch: applyDecorators(
    operation(
      'patchArticle',
      'Modify an article',
      'Changes the fields that are sent. `last_modified` advances only if a stored value changes.',
    ),
    recordId(),
    ApiHeader({
      name: 'Response-Behavior',
      required: false,
      description:
        'Selects the response body: the record (`full`), those fields of the request whose stored value it changed (`light`), ' +
        'or those whose stored value differs from the one sent (`diff`). Case-insensitive; any other value means `full`.',
      schema: { type: 'string', enum: ['full', 'light', 'diff'], default: 'full' },
    }),
    ApiBody({ type: ArticlePatchDto, examples: EXAMPLES.patch }),
    operationResponse(200, 'The record, or the fields selected by `Response-Behavior`.', {
      type: [ArticleDto, ArticleFieldsDto],
      examples: EXAMPLES.patched,
    }),
    ...authenticatedErrors(
      'malformedJson',
      'invalidParameter',
      'missingParameter',
      'invalidPostedData',
      'invalidId',
      'notFound',
      'conflict',
      'lengthRequired',
      'modifiedMeanwhile',
      'bodyTooLarge',
    ),
  ),

  remove: applyDecorators(
    operation('deleteArticle', 'Delete an article', 'Leaves a tombstone, which appears in listings of changes.'),
    recordId(),
    operationResponse(200, 'The tombstone.', { type: TombstoneDto, examples: EXAMPLES.tombstone }),
    ...authenticatedErrors('invalidParameter', 'invalidId', 'notFound', 'modifiedMeanwhile'),
  ),
});
