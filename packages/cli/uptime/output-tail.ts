/** Keeps the end of what passes, whole characters, at most `most` bytes. */
export class OutputTail {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private isCut = false;

  constructor(private readonly most: number) {}

  add(chunk: Buffer): void {
    // A small copy of the end, so that a large chunk is not held for it.
    const kept = chunk.byteLength > this.most ? Buffer.from(chunk.subarray(-this.most)) : chunk;
    this.isCut ||= this.bytes + chunk.byteLength > this.most;
    this.chunks.push(kept);
    this.bytes += kept.byteLength;
    for (let [first] = this.chunks; first && this.bytes - first.byteLength >= this.most; [first] = this.chunks) {
      this.chunks.shift();
      this.bytes -= first.byteLength;
    }
  }

  /** What was kept; a character whose beginning is gone is left out. */
  read(): Buffer {
    const end = Buffer.concat(this.chunks).subarray(-this.most);
    let start = 0;
    // Continuation bytes of UTF-8 (RFC 3629) begin with 10; a character has three of them at most.
    if (this.isCut) while (start < 3 && ((end[start] ?? 0) & 0xc0) === 0x80) start++;
    return end.subarray(start);
  }
}
