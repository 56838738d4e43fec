/** Keeps the last `most` bytes of an output stream, without partial characters. */
export class OutputTail {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private isCut = false;

  constructor(private readonly most: number) {}

  add(chunk: Buffer): void {
    // Copies the end, so that a large chunk can be garbage collected.
    const kept = chunk.byteLength > this.most ? Buffer.from(chunk.subarray(-this.most)) : chunk;
    this.isCut ||= this.bytes + chunk.byteLength > this.most;
    this.chunks.push(kept);
    this.bytes += kept.byteLength;
    for (let [first] = this.chunks; first && this.bytes - first.byteLength >= this.most; [first] = this.chunks) {
      this.chunks.shift();
      this.bytes -= first.byteLength;
    }
  }

  /**
   * Returns the bytes that were kept. If the first bytes of a character were dropped, the rest of it is dropped too.
   */
  read(): Buffer {
    const end = Buffer.concat(this.chunks).subarray(-this.most);
    let start = 0;
    // In UTF-8 (RFC 3629), continuation bytes start with the bits 10, and a character has at most three of them.
    if (this.isCut) while (start < 3 && ((end[start] ?? 0) & 0xc0) === 0x80) start++;
    return end.subarray(start);
  }
}
