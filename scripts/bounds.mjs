// npm run bounds -- [name=folder …] [words]: runs the attacks in test/bounds against one or more versions of the
// service. Prints how they affect another organization, as a Markdown table. `npm run bounds -- before=../old now=.`
// compares a built checkout of another version with this one. Words select attacks by name. Each attack takes 40 s. Use
// an idle machine.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('./typescript.cjs');
require('../test/bounds/table.ts');
