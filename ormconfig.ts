import { DataSource } from 'typeorm';
import { loadSettings } from './src/config/load-settings.js';
import { dataSourceOptions } from './src/database/data-source.js';

/** The data source for TypeORM's own command line: `npx typeorm migration:show -d dist/ormconfig.js`. */
export default new DataSource(dataSourceOptions(loadSettings()));
