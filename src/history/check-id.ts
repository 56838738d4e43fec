import { createHmac } from 'node:crypto';
import { LOCAL } from '../engine/finished-check';
import { formatId, toUuid } from '../platform/ids/id';

/**
 * The public id of a check, computed from its row instead of stored in it: 16 bytes less per row. A UUIDv7 with the
 * check's time; its other 74 bits are an HMAC, so that an id reveals nothing about the endpoint's internal number. `location`:
 * two of them may look in the same millisecond. Ids of checks of the service itself have none in them, as before there were others.
 */
export function checkId(secret: Buffer, endpointKey: string, checkedAt: Date, location: number = LOCAL): string {
  const ms = checkedAt.getTime();
  const text = location === LOCAL ? `${endpointKey}/${ms}` : `${endpointKey}/${ms}/${location}`;
  const bytes = createHmac('sha256', secret).update(text).digest().subarray(0, 16);
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return formatId('check', toUuid(bytes));
}
