import type { Assertion } from '../../../checker/assertion/assertion';
import { isSensitiveHeader } from '../../../checker/request-headers';
import type { UpdateEndpointDto } from '../../../endpoint/endpoint.dto';
import { comparesCredential, maskedUrl } from '../../../endpoint/settings/shown-settings';
import { MASK } from '../../../platform/secrets/mask';
import { isRecord } from '../../../platform/text/json';
import type { PlanNote } from '../plan';
import type { PresentEndpoint } from '../state/present-state';

/*
 * A read key may plan, and must not learn by trying whether a value that it is not shown is the stored one. What it sends in
 * such a place counts as the stored value.
 */

/** Said with each plan of a read key that is not shown everything. */
export const NOT_COMPARED: PlanNote = {
  key: null,
  message:
    'Values that a read key is not shown are not compared: they count as unchanged. Plan with a write key to compare them.',
};

/** A config with the masks of the stored one, as read keys see it, in place of what was sent. */
export function withMasks(sent: unknown, stored: unknown): unknown {
  if (typeof stored === 'string' && stored.includes(MASK)) return typeof sent === 'object' ? sent : stored;
  if (Array.isArray(sent))
    return sent.map((item, at) => withMasks(item, Array.isArray(stored) ? stored[at] : undefined));
  if (!isRecord(sent)) return sent;
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, withMasks(value, isRecord(stored) ? stored[name] : undefined)]),
  );
}

/** The same of an endpoint. */
export function withMaskedCredentials(dto: UpdateEndpointDto, stored: PresentEndpoint): UpdateEndpointDto {
  const { url, body, headers, assertions } = dto;
  const isSameTarget = url !== undefined && maskedUrl(url) === maskedUrl(stored.url);
  return {
    ...dto,
    ...(isSameTarget && { url: maskedUrl(stored.url) }),
    ...(typeof body === 'string' && stored.body && { body: MASK }),
    ...(headers && {
      headers: headers.map(({ key, value }, at) => {
        const isSame = (header: { key: string }): boolean => header.key.toLowerCase() === key.toLowerCase();
        const turn = headers.slice(0, at).filter(isSame).length;
        const isHidden = isSensitiveHeader(key) && stored.headers.filter(isSame)[turn] !== undefined;
        return { key, value: isHidden ? MASK : value };
      }),
    }),
    ...(assertions && {
      assertions: assertions.map((one, at) => {
        const isAlike = (other: Assertion): boolean =>
          one.property?.toLowerCase() === other.property?.toLowerCase() && one.comparison === other.comparison;
        const turn = assertions.slice(0, at).filter(isAlike).length;
        const isHidden = comparesCredential(one) && stored.assertions.filter(isAlike)[turn] !== undefined;
        return isHidden ? { ...one, target: MASK } : one;
      }),
    }),
  };
}
