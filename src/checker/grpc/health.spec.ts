import { randomBytes } from 'node:crypto';
import { healthRequest, readHealth } from './health';

const message = (...body: number[]): Buffer => Buffer.from([0, 0, 0, 0, body.length, ...body]);

describe('messages of the gRPC health protocol', () => {
  it('writes a request', () => {
    expect(healthRequest('')).toEqual(Buffer.alloc(5));
    expect(healthRequest('ab')).toEqual(Buffer.from([0, 0, 0, 0, 4, 0x0a, 2, 0x61, 0x62]));
    expect(healthRequest('x'.repeat(200)).subarray(5, 8)).toEqual(Buffer.from([0x0a, 0xc8, 0x01]));
  });

  it.each([
    [message(), 'UNKNOWN'],
    [message(8, 1), 'SERVING'],
    [message(8, 2), 'NOT_SERVING'],
    [message(8, 1, 0x12, 1, 0x61), 'SERVING'],
    [message(0x0d, 1, 2, 3, 4, 8, 1), 'SERVING'],
    [message(8, 9), null],
    [message(8), null],
    [message(0x12, 200), null],
    [message(0x0b), null],
    [message(8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80), null],
    [Buffer.alloc(3), null],
    [Buffer.from([0, 0, 0, 0, 1]), null],
  ])('reads %j as %s', (bytes, state) => {
    expect(readHealth(bytes)).toBe(state);
  });

  it('reads any 10,000 bytes', () => {
    for (let length = 0; length < 10_000; length += 97) {
      const body = randomBytes(length);
      const head = Buffer.alloc(5);
      head.writeUInt32BE(length, 1);
      expect(() => readHealth(Buffer.concat([head, body]))).not.toThrow();
    }
  });
});
