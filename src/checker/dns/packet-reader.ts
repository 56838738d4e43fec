/** The packet claims to be the reply to our query but cannot be decoded. */
export class MalformedReply extends Error {
  constructor() {
    super('the answer is not a valid DNS message');
  }
}

const LONGEST_LABEL = 63;
/** The first byte of a pointer has its two highest bits set (RFC 1035, section 4.1.4). */
const POINTER = 0xc0;
/** The maximum length in characters, including the dots (RFC 1035, section 2.3.4). */
const LONGEST_NAME = 253;

/** A name, or its remaining labels, at an offset in a packet. */
interface Tail {
  name: string;
  /** The offset of the byte after the name. If the name continues elsewhere, the offset after its pointer. */
  end: number;
}

/**
 * Reads a DNS packet from its start. The work is always linear in the size of the packet. The rest of a name is cached
 * for every offset at which a label starts, so names that point to each other are never walked twice. Throws:
 * `MalformedReply` for any read past the end.
 */
export class PacketReader {
  private readonly tails = new Map<number, Tail>();
  offset = 0;

  constructor(private readonly packet: Buffer) {}

  uint8(): number {
    return this.packet[this.advance(1)] ?? 0;
  }

  uint16(): number {
    return this.packet.readUInt16BE(this.advance(2));
  }

  uint32(): number {
    return this.packet.readUInt32BE(this.advance(4));
  }

  bytes(count: number): Buffer {
    const start = this.advance(count);
    return this.packet.subarray(start, start + count);
  }

  /** Returns a name as in a zone file, without the trailing dot. Dots within a label are escaped. The root is `.`. */
  name(): string {
    const { name, end } = this.tailAt(this.offset);
    this.offset = end;
    return name === '' ? '.' : name;
  }

  private tailAt(start: number): Tail {
    const path: { at: number; end: number | null; label: string | null }[] = [];
    let tail: Tail | undefined;
    let at = start;
    /** Pointers must point backward, so they cannot form a loop. */
    let before = start;
    /** Several pointers may lead to the same labels. */
    let walked = 0;
    for (tail = this.tails.get(at); !tail; tail = this.tails.get(at)) {
      const length = this.byteAt(at);
      if (length === 0) {
        this.keep(at, { name: '', end: at + 1 });
      } else if (length <= LONGEST_LABEL) {
        path.push({ at, end: null, label: this.label(at + 1, length) });
        at += 1 + length;
        walked += 1 + length;
        if (walked > LONGEST_NAME + 1) throw new MalformedReply();
      } else {
        const target = ((length << 8) | this.byteAt(at + 1)) - (POINTER << 8);
        if (target < 0 || target >= before) throw new MalformedReply();
        path.push({ at, end: at + 2, label: null });
        at = before = target;
      }
    }
    for (let step = path.pop(); step; step = path.pop()) {
      tail = this.keep(step.at, { name: joined(step.label, tail.name), end: step.end ?? tail.end });
    }
    return tail;
  }

  private label(start: number, length: number): string {
    if (start + length > this.packet.length) throw new MalformedReply();
    return this.packet.toString('utf8', start, start + length);
  }

  private keep(at: number, tail: Tail): Tail {
    if (tail.name.length > LONGEST_NAME) throw new MalformedReply();
    this.tails.set(at, tail);
    return tail;
  }

  private byteAt(at: number): number {
    const byte = this.packet[at];
    if (byte === undefined) throw new MalformedReply();
    return byte;
  }

  /** Advances by `count` bytes and returns the offset before them. */
  private advance(count: number): number {
    const start = this.offset;
    if (start + count > this.packet.length) throw new MalformedReply();
    this.offset += count;
    return start;
  }
}

function joined(label: string | null, rest: string): string {
  if (label === null) return rest;
  const escaped = label.includes('.') ? label.replaceAll('.', '\\.') : label;
  return rest === '' ? escaped : `${escaped}.${rest}`;
}
