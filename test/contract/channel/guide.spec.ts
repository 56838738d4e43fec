import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import { aliasesOf } from '../../../src/channel/config/config-metadata';
import { knownKeys } from '../../../src/channel/config/config-validation';
import { DeclaredChannel } from '../../../src/channel/declared/declared-channel';
import { type ChannelBench, openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { DECLARED_FAKES } from '../../../packages/testing/providers/declared';

const GUIDE = readFileSync(join(__dirname, '../../../docs/reference/more-channels.md'), 'utf8');

/** Returns the section of a channel in the guide. */
const sectionOf = (type: string): string =>
  GUIDE.split(/^(?=#{2,3} )/m).find((section) => section.startsWith('### ') && section.includes(`(\`${type}\`)`)) ?? '';

describe('the guide of the channels', () => {
  let bench: ChannelBench;
  beforeAll(async () => {
    bench = await openChannelBench();
  });
  afterAll(() => bench.close());

  it('says where each setting of each declared channel comes from, and names no other setting', () => {
    const declared = SPEC_CHANNEL_TYPES.filter((type) => bench.registry.get(type) instanceof DeclaredChannel);
    expect(declared).toHaveLength(20);
    for (const type of declared) {
      const { configClass } = bench.registry.get(type);
      const keys = knownKeys(configClass).filter((key) => !(key in aliasesOf(configClass)));
      const explained = [...sectionOf(type).matchAll(/^\| `(\w+)` +\| \S/gm)].map(([, key]) => key);
      expect([type, explained.sort()]).toEqual([type, keys.sort()]);
    }
  });

  it('links to the documentation of each service', () => {
    for (const type of Object.keys(DECLARED_FAKES)) expect(sectionOf(type)).toMatch(/\[Documentation of .+\]\(https:/);
  });

  it('belongs to channels that have a fake', () => {
    const declared = SPEC_CHANNEL_TYPES.filter((type) => bench.registry.get(type) instanceof DeclaredChannel);
    expect(Object.keys(DECLARED_FAKES)).toEqual(declared);
  });
});
