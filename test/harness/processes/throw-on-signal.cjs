// Preloaded into a service (NODE_OPTIONS): a signal makes it throw, or reject, uncaught.
process.on('SIGUSR2', () =>
  setImmediate(() => {
    if (process.env.UNCAUGHT === 'rejection') void Promise.reject(new Error('uncaught rejection of the test'));
    else throw new Error('uncaught exception of the test');
  }),
);
