'use strict';
/**
 * The ES module as Node itself loads it: Jest requires none before Node 24.9.
 */
module.exports = globalThis[Symbol.for('uptime-monitor.require')]('openid-client');
