import { type Download, readDownload } from './index.js';

/** Entry of a child process that reads the download it is sent, and sends the result. */
process.once('message', (download) => process.send?.(readDownload(download as Download)));
