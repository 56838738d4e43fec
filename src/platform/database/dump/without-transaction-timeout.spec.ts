import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { withoutTransactionTimeout } from './without-transaction-timeout';

const SETTING = 'SET transaction_timeout = 0;\n';
const HEAD = 'SET lock_timeout = 0;\n';
const REST = `SET row_security = off;\n\nCREATE TABLE a (t text);\nCOPY a FROM stdin;\n${SETTING}\\.\n`;

describe('a script for a server before PostgreSQL 17', () => {
  it.each([1, 2, 7, 33, 1000])(
    'loses the one setting that the server does not know, in pieces of %s bytes',
    async (size) => {
      const script = Buffer.from(`${HEAD}${SETTING}${REST}`);
      const pieces = Array.from({ length: Math.ceil(script.length / size) }, (_, i) =>
        script.subarray(i * size, (i + 1) * size),
      );
      const output = await buffer(Readable.from(pieces).pipe(withoutTransactionTimeout()));
      expect(output.toString()).toBe(`${HEAD}${REST}`);
    },
  );

  it.each(['', HEAD, `${HEAD}${REST}`])('is unchanged without that setting', async (script) => {
    const output = await buffer(Readable.from([Buffer.from(script)]).pipe(withoutTransactionTimeout()));
    expect(output.toString()).toBe(script);
  });
});
