'use strict';
/** Reads one text in a thread of its own: see yaml-reader.cjs. */
const { parentPort, workerData } = require('node:worker_threads');
const { read } = require('./yaml-reader.cjs');

parentPort.postMessage(read(workerData.text), []);
