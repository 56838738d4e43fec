'use strict';
/** The ES module as loaded by Node. Jest can't require ES modules before Node 24.9. */
module.exports = globalThis[Symbol.for('uptime-monitor.require')]('openid-client');
