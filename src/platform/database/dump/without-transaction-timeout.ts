import { Transform } from 'node:stream';

/** One of the first lines in the script that every program since version 17 writes. */
const TRANSACTION_TIMEOUT = 'SET transaction_timeout = 0;\n';
/** Settings precede all other statements. */
const AFTER_SETTINGS = '\nCREATE ';
const MAX_HEAD_BYTES = 65_536;

/** Returns a stream that removes the setting that servers before version 17 don't support. Rows are not changed. */
export function withoutTransactionTimeout(): Transform {
  let head: Buffer | null = Buffer.alloc(0);
  const shortened = (): Buffer => {
    const bytes = head ?? Buffer.alloc(0);
    head = null;
    const end = bytes.indexOf(AFTER_SETTINGS);
    const at = bytes.indexOf(TRANSACTION_TIMEOUT);
    return at < 0 || (end >= 0 && at > end)
      ? bytes
      : Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + TRANSACTION_TIMEOUT.length)]);
  };
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      if (head === null) return done(null, chunk);
      head = Buffer.concat([head, chunk]);
      return head.includes(AFTER_SETTINGS) || head.length > MAX_HEAD_BYTES ? done(null, shortened()) : done();
    },
    flush: (done) => done(null, head === null ? undefined : shortened()),
  });
}
