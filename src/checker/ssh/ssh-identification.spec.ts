import fc from 'fast-check';
import { SshIdentificationReader } from './ssh-identification';

const readAll = (...chunks: (string | Uint8Array)[]) => {
  const reader = new SshIdentificationReader(() => true);
  const states = chunks.map((chunk) => reader.push(Buffer.from(chunk)));
  return states.at(-1);
};

const identification = (line: string, shown = line) => ({ kind: 'identification', line, shown });
const invalid = (reason: string | RegExp) => ({ kind: 'invalid', reason: expect.stringMatching(reason) as unknown });

describe('an SSH identification', () => {
  it.each([
    ['SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n', 'SSH-2.0-OpenSSH_9.2p1 Debian-2'],
    ['SSH-1.99-Cisco-1.25\n', 'SSH-1.99-Cisco-1.25'],
    ['Welcome\r\nto the jungle\r\nSSH-2.0-x\r\n', 'SSH-2.0-x'],
    ['SSH-2.0-x\r\n\u0000\u0000\u0001binary follows', 'SSH-2.0-x'],
    [`SSH-2.0-${'x'.repeat(245)}\r\n`, `SSH-2.0-${'x'.repeat(245)}`],
  ])('is found in %j', (sent, line) => {
    expect(readAll(sent)).toEqual(identification(line));
  });

  it.each([
    ['control characters', 'SSH-2.0-\u0007evil\u001b[31m\r\n', 'SSH-2.0-\u0007evil\u001b[31m', 'SSH-2.0-?evil?[31m'],
    ['UTF-8', 'SSH-2.0-x Gerät\r\n', 'SSH-2.0-x Gerät', 'SSH-2.0-x Ger?t'],
    ['Latin-1', Buffer.from('SSH-2.0-x Gerät\n', 'latin1'), 'SSH-2.0-x Gerät', 'SSH-2.0-x Ger?t'],
  ])('is kept as it was sent, with %s, and shown without unprintable characters', (_, sent, line, shown) => {
    expect(readAll(sent)).toEqual(identification(line, shown));
  });

  it('is found if it arrives byte by byte', () => {
    expect(readAll(...'hello\r\nSSH-2.0-x\r\n')).toEqual(identification('SSH-2.0-x'));
  });

  it.each([['SSH-2.0-OpenSSH'], ['SS'], ['hello\r\nSSH-'], ['']])('is not complete yet after %j', (sent) => {
    expect(readAll(sent)).toEqual({ kind: 'incomplete' });
  });

  it.each([
    ['an old version', 'SSH-1.5-1.2.27\n', /"SSH-1\.5-1\.2\.27".*not SSH 2\.0/],
    ['a version of the future', 'SSH-3.0-x\r\n', /not SSH 2\.0/],
    ['no version', 'SSH-\r\n', /not SSH 2\.0/],
    ['a line of 256 bytes', `SSH-2.0-${'x'.repeat(246)}\r\n`, /more than 255/],
    ['a line without end', `SSH-2.0-${'x'.repeat(300)}`, /more than 255/],
    ['a flood of lines', 'hello\r\n'.repeat(3000), /16 KiB/],
    ['a flood without lines', Buffer.alloc(1 << 20, 0x41), /16 KiB/],
  ])('is refused for %s', (_, sent, reason) => {
    expect(readAll(sent)).toEqual(invalid(reason));
  });

  it('is kept regardless of what follows', () => {
    expect(readAll('SSH-2.0-x\r\n', 'SSH-1.5-y\r\n')).toEqual(identification('SSH-2.0-x'));
    expect(readAll('SSH-1.5-y\r\n', 'SSH-2.0-x\r\n')).toEqual(invalid(/1\.5/));
  });

  it.each([
    ['', 'closed the connection without an SSH identification'],
    [
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      'sent "HTTP/1.1 400 Bad Request" and closed the connection without an SSH identification',
    ],
  ])('is missing if the connection ends after %j', (sent, sentence) => {
    const reader = new SshIdentificationReader(() => true);
    reader.push(Buffer.from(sent));
    expect(reader.endedEarly).toBe(sentence);
  });
});

it('nothing from a server that does not speak SSH is repeated if quotes are not allowed', () => {
  const reader = new SshIdentificationReader(() => false);
  reader.push(Buffer.from('220 mail.internal ESMTP\r\n'));
  expect(reader.endedEarly).toBe('sent something else and closed the connection without an SSH identification');
});

it('the SSH reader ends with a result and bounded memory for any bytes in any pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5000 }), { maxLength: 10 }), (chunks) => {
      const reader = new SshIdentificationReader(() => true);
      const sent = chunks.reduce((bytes, chunk) => bytes + chunk.length, 0);
      const last = chunks.map((chunk) => reader.push(Buffer.from(chunk))).at(-1);
      return last === undefined || last.kind !== 'incomplete' || sent <= 16_384;
    }),
  );
});
