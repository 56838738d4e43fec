import { describeService } from '../../../packages/testing/contract/describe-service';
import { FOUND, UNBROKEN } from './broken-by-a-proxy';

interface Given {
  urls: Record<string, string>;
  keys: { admin: string; write: string; read: string; operator: string };
}

// contract-breaks.spec.ts runs this suite once for each break, with only the tests that must find it.
const { urls, keys } = JSON.parse(process.env['BROKEN_SERVICE'] ?? '{"urls":{},"keys":{}}') as Given;

describe('a proxy that', () => {
  for (const name of [UNBROKEN, ...FOUND.map(([broken]) => broken)]) describeService(urls[name] ?? '', keys, { name });
});
