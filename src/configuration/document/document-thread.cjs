'use strict';
/**
 * Reads one text in a separate thread, for read-in-worker.ts. Sends the line numbers of the documents first, and then
 * their values in portions.
 */
const { workerData } = require('node:worker_threads');
const { handOver } = require('./hand-over.cjs');
const { portionsOf } = require('./portions.cjs');
const { read } = require('./yaml-reader.cjs');

function* messages() {
  const { problems, documents } = read(workerData.text);
  if (problems) return yield { problems };
  yield { places: documents.map(({ lines, sizes }) => ({ lines, sizes })) };
  for (const portion of portionsOf(documents.map(({ value }) => value))) yield { portion };
  return yield { isAll: true };
}

handOver(messages());
