/** The states of `grpc.health.v1.HealthCheckResponse`, by number. */
export const HEALTH = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;
export type Health = (typeof HEALTH)[number];

/** Returns a varint of protocol buffers. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

/** Returns a `HealthCheckRequest` as a message of gRPC: not compressed, with its length. */
export function healthRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const body = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** Returns the state in a message of gRPC, or `null` if it isn't a valid `HealthCheckResponse`. Skips other fields. */
export function readHealth(message: Buffer): Health | null {
  if (message.length < 5 || message[0] !== 0 || message.readUInt32BE(1) !== message.length - 5) return null;
  const body = message.subarray(5);
  let state = 0;
  let at = 0;
  const next = (): number | null => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = body[at++];
      if (byte === undefined) return null;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return null;
  };
  while (at < body.length) {
    const key = next();
    if (key === null) return null;
    const wire = key & 7;
    if (wire === 0) {
      const value = next();
      if (value === null) return null;
      if (key === 8) state = value;
    } else if (wire === 2) {
      const length = next();
      if (length === null) return null;
      at += length;
    } else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else return null;
    if (at > body.length) return null;
  }
  return HEALTH[state] ?? null;
}
