import { describeService } from '../../../packages/testing/contract/describe-service';
import { FOUND, UNBROKEN } from './broken-by-a-proxy';

interface Given {
  urls: Record<string, string>;
  keys: { admin: string; write: string; read: string; operator: string };
}

// Run by contract-breaks.spec.ts: the suite once for each break, of which only the tests are chosen that have to find it.
const { urls, keys } = JSON.parse(process.env['BROKEN_SERVICE'] ?? '{"urls":{},"keys":{}}') as Given;

describe('a proxy that', () => {
  for (const name of [UNBROKEN, ...FOUND.map(([broken]) => broken)]) describeService(urls[name] ?? '', keys, { name });
});
