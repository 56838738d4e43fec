import { textFromBytes } from '../../platform/text/bytes-as-text';

/** The state of the bytes received so far. `reason` is the predicate of a sentence about the server. */
export type IdentificationState =
  | { kind: 'incomplete' }
  /** `line` is exactly what the server sent. In `shown`, unprintable characters are replaced. */
  | { kind: 'identification'; line: string; shown: string }
  | { kind: 'invalid'; reason: string };

/** The maximum length of an identification, including its line ending (RFC 4253, section 4.2). */
const LONGEST_LINE = 255;

/** Servers may send other lines first. If a server sends more bytes of them than this, it isn't an SSH server. */
const PREAMBLE_BYTES = 16_384;

const LINE_FEED = 0x0a;
const QUOTED_CHARACTERS = 60;

/**
 * Reads the identification of a server (`SSH-2.0-OpenSSH_9.2`) and skips any lines before it. Keeps at most 16 KiB.
 * Once the identification is found, or can no longer appear, the state is final.
 */
export class SshIdentificationReader {
  private received = Buffer.alloc(0);
  private lineStart = 0;
  private state: IdentificationState = { kind: 'incomplete' };

  /** Unless `mayQuote` returns true, nothing is quoted from a server that doesn't speak SSH. */
  constructor(private readonly mayQuote: () => boolean) {}

  push(chunk: Buffer): IdentificationState {
    if (this.state.kind !== 'incomplete') return this.state;
    this.received = Buffer.concat([this.received, chunk.subarray(0, PREAMBLE_BYTES + 1)]);
    this.state = this.readLines();
    return this.state;
  }

  /** The reason to report if the server closes the connection now. */
  get endedEarly(): string {
    if (this.received.length === 0) return 'closed the connection without an SSH identification';
    const sent = this.mayQuote() ? `"${quote(this.received)}"` : 'something else';
    return `sent ${sent} and closed the connection without an SSH identification`;
  }

  private readLines(): IdentificationState {
    for (;;) {
      const end = this.received.indexOf(LINE_FEED, this.lineStart);
      const line = this.received.subarray(this.lineStart, end < 0 ? undefined : end + 1);
      if (startsWithSsh(line)) return end < 0 ? unfinished(line) : judge(line);
      if (this.received.length > PREAMBLE_BYTES) {
        return { kind: 'invalid', reason: `sent ${PREAMBLE_BYTES / 1024} KiB without an SSH identification` };
      }
      if (end < 0) return { kind: 'incomplete' };
      this.lineStart = end + 1;
    }
  }
}

const startsWithSsh = (line: Buffer) => line.subarray(0, 4).toString('latin1') === 'SSH-';

const unfinished = (line: Buffer): IdentificationState =>
  line.length > LONGEST_LINE ? tooLong : { kind: 'incomplete' };

const tooLong: IdentificationState = {
  kind: 'invalid',
  reason: `sent an SSH identification of more than ${LONGEST_LINE} characters`,
};

/** Version 1.99 means 2.0 and older versions. */
function judge(bytes: Buffer): IdentificationState {
  if (bytes.length > LONGEST_LINE) return tooLong;
  const line = textFromBytes(bytes).replace(/\r?\n$/, '');
  const version = /^SSH-([^-]*)-/.exec(line)?.[1];
  if (version === '2.0' || version === '1.99') return { kind: 'identification', line, shown: printable(line) };
  return { kind: 'invalid', reason: `identified itself as "${quote(bytes)}", which is not SSH 2.0` };
}

function quote(bytes: Buffer): string {
  const text =
    bytes
      .subarray(0, QUOTED_CHARACTERS)
      .toString('latin1')
      .split(/[\r\n]/, 1)[0] ?? '';
  return printable(text);
}

const printable = (text: string) => text.replace(/[^\u0020-\u007e]/g, '?');
