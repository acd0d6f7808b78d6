import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { answers, refusesStrangers } from '../../docs/vocabulary/answers.js';
import { ifModifiedSince, ifUnmodifiedSince, preferWait } from '../../docs/vocabulary/conditions.js';
import { describes } from '../../docs/vocabulary/describes.js';
import { forUsers } from '../../docs/vocabulary/security.js';
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
  applyDecorators(ApiOperation({ operationId, summary, description }), ...forUsers(), ifUnmodifiedSince());

const recordId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of an article.', schema: { type: 'string', format: 'uuid' } });

describes(ArticlesController, ApiTags('articles'), {
  list: applyDecorators(
    operation(
      'listArticles',
      'List articles',
      'The articles that match all filters, one page of them. A filter on `last_modified`, `_since` and `_to` included, ' +
        'brings tombstones in. Parameters of unknown names are refused, unless they begin with `_`.',
    ),
    ...filters(),
    ...pages(),
    ...ifModifiedSince('Preference-Applied'),
    preferWait(),
    answers(200, 'A page of the listing.', {
      type: ListingDto,
      examples: EXAMPLES.list,
      names: ['Last-Modified', 'Total-Records', 'Next-Page', START_OVER_HEADER, 'Preference-Applied'],
    }),
    ...refusesStrangers('invalidParameter', 'modifiedMeanwhile'),
  ),

  count: ApiOperation({
    operationId: 'countArticles',
    summary: 'Count articles',
    description: 'The headers of the same GET, `Total-Records` among them, without the list.',
  }),

  create: applyDecorators(
    operation(
      'createArticle',
      'Create an article',
      'Stores a new article, or answers with the live one that has the same `url` or the same `resolved_url`.',
    ),
    ApiBody({ type: NewArticleDto, examples: EXAMPLES.create }),
    answers(201, 'The new article.', { type: ArticleDto, examples: EXAMPLES.article }),
    answers(200, 'The article that was there already, unchanged.', { type: ArticleDto, examples: EXAMPLES.article }),
    ...refusesStrangers(
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
      'Deletes **all** live articles that match the filters; without filters, all. `_sort`, `_limit` and `_token` are ' +
        'refused. The service may be set up without this operation: 405.',
    ),
    ...filters(),
    answers(200, 'What was deleted.', { type: TombstonesDto, examples: EXAMPLES.tombstones }),
    ...refusesStrangers('invalidParameter', 'methodNotAllowed', 'modifiedMeanwhile'),
  ),

  read: applyDecorators(
    operation('readArticle', 'Read an article', 'One live article.'),
    recordId(),
    ...ifModifiedSince(),
    answers(200, 'The article.', { type: ArticleDto, examples: EXAMPLES.article, names: ['Last-Modified'] }),
    ...refusesStrangers('invalidParameter', 'invalidId', 'notFound', 'modifiedMeanwhile'),
  ),

  patch: applyDecorators(
    operation(
      'patchArticle',
      'Modify an article',
      'Changes the fields that are sent. `last_modified` moves only when a value really changes.',
    ),
    recordId(),
    ApiHeader({
      name: 'Response-Behavior',
      required: false,
      description:
        'What to answer with: the record (`full`), the fields named in the request that it changed (`light`), or those ' +
        'whose stored value differs from the one sent (`diff`). In any case; anything else means `full`.',
      schema: { type: 'string', enum: ['full', 'light', 'diff'], default: 'full' },
    }),
    ApiBody({ type: ArticlePatchDto, examples: EXAMPLES.patch }),
    answers(200, 'The record, or the fields asked for.', {
      type: [ArticleDto, ArticleFieldsDto],
      examples: EXAMPLES.patched,
    }),
    ...refusesStrangers(
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
    operation('deleteArticle', 'Delete an article', 'Leaves a tombstone, which listings of changes show.'),
    recordId(),
    answers(200, 'The tombstone.', { type: TombstoneDto, examples: EXAMPLES.tombstone }),
    ...refusesStrangers('invalidParameter', 'invalidId', 'notFound', 'modifiedMeanwhile'),
  ),
});
