import { ApiOperation, ApiTags } from '@nestjs/swagger';

/** The OpenAPI description of each operation on articles. */
export const ArticlesDocs = {
  tag: ApiTags('articles'),
  count: ApiOperation({ summary: 'Count articles' }),
  list: ApiOperation({ summary: 'List articles' }),
  create: ApiOperation({ summary: 'Create an article' }),
  removeAll: ApiOperation({ summary: 'Delete articles' }),
  read: ApiOperation({ summary: 'Read an article' }),
  patch: ApiOperation({ summary: 'Modify an article' }),
  remove: ApiOperation({ summary: 'Delete an article' }),
};
