// Preloaded into a service (NODE_OPTIONS). A signal causes an uncaught exception or rejection.
process.on('SIGUSR2', () =>
  setImmediate(() => {
    if (process.env.UNCAUGHT === 'rejection') void Promise.reject(new Error('uncaught rejection of the test'));
    else throw new Error('uncaught exception of the test');
  }),
);
