// Loaded before a program. On SIGUSR2, it prints the files that have been required so far, as one line of JSON.
process.on('SIGUSR2', () => process.stdout.write(`required ${JSON.stringify(Object.keys(require.cache))}\n`));
