import { loadSettings } from './src/config/load-settings.js';
import { createDataSource } from './src/database/data-source.js';

/**
 * The data source for TypeORM's command line, with the service's own entities, migrations and options: `npx typeorm
 * migration:show -d dist/ormconfig.js`.
 */
export default await createDataSource(loadSettings());
