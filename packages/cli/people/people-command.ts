import type { AddCommand } from '../uptime/program';

/** Adds `members`, also as `people`, which works directly on the database instead of the API. `runPeople` parses its arguments. */
export const addPeopleCommand: AddCommand = (program, { io, end }): void => {
  program
    .command('members [words...]')
    .alias('people')
    .description('manage user accounts directly in the database (see "uptime members --help")')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: string[]) => {
      // oxlint-disable-next-line typescript/no-require-imports -- other commands need neither settings nor a database.
      const { runPeople } = require('./run-people') as typeof import('./run-people');
      // oxlint-disable-next-line typescript/no-require-imports -- the same.
      const { readEnvironment } =
        require('../../../src/platform/config/env') as typeof import('../../../src/platform/config/env');
      const { exitCode, output, remark } = await runPeople(words, readEnvironment);
      if (output !== undefined) io.out(`${output}\n`);
      if (remark !== undefined) io.err(`${remark}\n`);
      end(exitCode);
    });
};
