/** @lane slow */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModuleKind, transpileModule } from 'typescript';
import * as kit from '../../../packages/testing/index';

/** The specs in docs/guides/extend/test-kit.md, unchanged. Their tests become part of this spec. */
const examples = [
  ...readFileSync(join(__dirname, '../../../docs/guides/extend/test-kit.md'), 'utf8').matchAll(/^```ts\n(import [\s\S]*?)^```$/gm),
];

for (const [, source = ''] of examples) {
  const { outputText } = transpileModule(source, { compilerOptions: { module: ModuleKind.CommonJS } });
  const load = (name: string): unknown => {
    if (name !== 'uptime-monitor/testing') throw new Error(`the example imports ${name}`);
    return kit;
  };
  // oxlint-disable-next-line typescript/no-implied-eval -- the page's own code, run as a reader would run it.
  new Function('require', 'exports', outputText)(load, {});
}

it('shows examples that work alone', () => {
  expect(examples.length).toBeGreaterThan(1);
});
