// Loaded before a program: on SIGUSR2 it prints the files that were required so far, as JSON in a line.
process.on('SIGUSR2', () => process.stdout.write(`required ${JSON.stringify(Object.keys(require.cache))}\n`));
