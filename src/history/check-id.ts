import { createHmac } from 'node:crypto';
import { LOCAL } from '../engine/finished-check';
import { formatId, toUuid } from '../platform/ids/id';

/**
 * Returns the public ID of a check. It is computed from the row instead of stored in it, which saves 16 bytes per row.
 * The ID is a UUIDv7 that contains the check's time. The other 74 bits are an HMAC, so that an ID reveals nothing about
 * the endpoint's internal number. `location` distinguishes checks in the same millisecond. Checks that the service runs
 * itself omit it, so the introduction of locations didn't change their IDs.
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
