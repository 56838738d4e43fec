'use strict';
/**
 * node dump-cluster.cjs <cluster> <file>: writes the embedded database's directory to a tar file that it can start
 * from.
 */
const { writeFileSync } = require('node:fs');
const { packCluster } = require('../../../src/platform/database/embedded/cluster-archive.cjs');

const [cluster, file] = process.argv.slice(2);
writeFileSync(file, packCluster(cluster));
