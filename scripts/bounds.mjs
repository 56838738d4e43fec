// npm run bounds -- [name=folder …] [words]: plays the attacks of test/bounds against one or more versions of the service and
// prints, as a Markdown table, what another organization feels. `npm run bounds -- before=../old now=.` compares a built
// checkout of another version with this one; words choose attacks by name. Best on a quiet machine: 40 s each.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('./typescript.cjs');
require('../test/bounds/table.ts');
