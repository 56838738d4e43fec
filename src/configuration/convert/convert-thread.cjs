'use strict';
/** Converts one file in a separate thread, for convert.service.ts. */
const { workerData } = require('node:worker_threads');
const { handOver } = require('../document/hand-over.cjs');
const { convertText } = require('./convert-text');

handOver([convertText(workerData.from, workerData.text)].values());
