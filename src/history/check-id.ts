import { createHmac } from 'node:crypto';
import { formatId, toUuid } from '../platform/ids/id';

/**
 * The public id of a check, computed from its row instead of stored in it: 16 bytes less per row. A UUIDv7 with the
 * check's time; its other 74 bits are an HMAC, so that an id reveals nothing about the endpoint's internal number.
 */
export function checkId(secret: Buffer, endpointKey: string, checkedAt: Date): string {
  const ms = checkedAt.getTime();
  const bytes = createHmac('sha256', secret).update(`${endpointKey}/${ms}`).digest().subarray(0, 16);
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return formatId('check', toUuid(bytes));
}
