import { loadSettings } from './src/config/load-settings.js';
import { dataSourceForSchema } from './src/database/data-source.js';

/**
 * The data source for TypeORM's command line, with the service's own entities, migrations and options: `npx typeorm
 * migration:show -d dist/ormconfig.js`.
 */
export default await dataSourceForSchema(loadSettings());
