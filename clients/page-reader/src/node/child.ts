import { parentPort, workerData } from 'node:worker_threads';
import { type Download, readDownload } from './index.js';

/** Entry of a worker thread that reads the download it is given, and posts the result. */
parentPort?.postMessage(readDownload(workerData as Download));
