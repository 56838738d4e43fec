'use strict';
const { parentPort } = require('node:worker_threads');

/** Posts the messages one by one, each after the previous one has been received. */
module.exports.handOver = (messages) => {
  const post = () => {
    const { done, value } = messages.next();
    if (!done) parentPort.postMessage(value, []);
  };
  parentPort.on('message', post);
  post();
};
