import type { Assertion } from '../../../checker/assertion/assertion';
import { isSensitiveHeader } from '../../../checker/request-headers';
import type { UpdateEndpointDto } from '../../../endpoint/endpoint.dto';
import { comparesCredential, maskedUrl } from '../../../endpoint/settings/shown-settings';
import { shownSettings } from '../../../endpoint/settings/stored-settings';
import { MASK } from '../../../platform/secrets/mask';
import { isRecord } from '../../../platform/text/json';
import type { PlanNote } from '../plan';
import type { PresentEndpoint } from '../state/present-state';
import { pointerStep } from '../../../platform/problem/constraint-codes';
import { isReference } from '../kept-secrets';
import type { PlanFindings } from '../plan-findings';

/*
 * A read key may be used to plan, but not to guess a hidden stored value by trial and error. A value that it sends for
 * a hidden setting is treated as equal to the stored value.
 */

/** Added to each plan for a read key that isn't allowed to see all values. */
export const NOT_COMPARED: PlanNote = {
  key: null,
  message:
    'Values that are hidden from a read key are not compared and count as unchanged. Plan with a write key to compare them.',
};

/** Replaces values in a config with the masks of the stored config, as shown to read keys. */
export function withMasks(sent: unknown, stored: unknown): unknown {
  if (typeof stored === 'string' && stored.includes(MASK)) return typeof sent === 'object' ? sent : stored;
  if (Array.isArray(sent))
    return sent.map((item, at) => withMasks(item, Array.isArray(stored) ? stored[at] : undefined));
  if (!isRecord(sent)) return sent;
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, withMasks(value, isRecord(stored) ? stored[name] : undefined)]),
  );
}

/** Replaces credentials in an endpoint's settings with the masks of the stored ones, as shown to read keys. */
export function withMaskedCredentials(dto: UpdateEndpointDto, stored: PresentEndpoint): UpdateEndpointDto {
  const { url, body, headers, assertions, settings } = dto;
  const isSameTarget = url !== undefined && maskedUrl(url) === maskedUrl(stored.url);
  return {
    ...dto,
    ...(isSameTarget && { url: maskedUrl(stored.url) }),
    ...(typeof body === 'string' && stored.body && { body: MASK }),
    ...(settings &&
      (url === undefined || url === stored.url || isSameTarget) && {
        settings: withMasks(settings, shownSettings(stored.settings)) as object,
      }),
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

type Path = readonly (string | number)[];

/**
 * Rejects secrets in settings that are shown in plans and to readers. Otherwise, anyone who can change a document in a
 * pull request could make the plan print the pipeline's secrets. `at` is the value's pointer. Returns true if it
 * rejected a secret.
 */
export function refusesShown(
  { findings, secrets }: { findings: PlanFindings; secrets: ReadonlySet<string> },
  at: string,
  value: unknown,
  isHidden: (path: Path) => boolean,
): boolean {
  let isRefused = false;
  const visit = (item: unknown, path: Path, pointer: string): void => {
    if (isReference(item) || secrets.has(pointer)) {
      if (isHidden(path)) return;
      isRefused = true;
      findings.add({ pointer, code: 'invalid_config', message: shown(path) });
    } else if (Array.isArray(item))
      item.forEach((each: unknown, index) => visit(each, [...path, index], `${pointer}/${index}`));
    else if (isRecord(item))
      for (const [name, each] of Object.entries(item)) visit(each, [...path, name], `${pointer}/${pointerStep(name)}`);
  };
  visit(value, [], at);
  return isRefused;
}

const shown = (path: Path): string =>
  `${path.findLast((step) => typeof step === 'string') ?? 'this'} is visible to anyone with read access, so write the value itself; use {$secret: …} only for credentials and receiver addresses`;
