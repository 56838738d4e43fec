import { grouped } from '../../platform/text/grouped';
import type { PendingCheck } from './pending-check';

/** All results of one endpoint in a batch, in their order. */
export type EndpointResults = readonly PendingCheck[];

/** After this many parts in a row that cannot be written, none at all having been, the search is not worth its cost. */
const HOPELESS = 40;

/** What became of a batch that was written in parts. */
export interface Split {
  /** Whether anything could be written. */
  wroteAny: boolean;
  /** Endpoints whose results cannot be written although they were alone, or were not even tried alone. */
  poisoned: EndpointResults[];
}

/** The results by endpoint, as they come. */
export const resultsOfEach = (batch: readonly PendingCheck[]): EndpointResults[] => [
  ...grouped(batch, ({ check }) => check.endpointId).values(),
];

/** The results by endpoint, those of one organization side by side: where one is refused, its neighbours often are too. */
export function byEndpoint(batch: readonly PendingCheck[]): EndpointResults[] {
  const orgOf = ([first]: EndpointResults): string => first?.check.orgId ?? '';
  return resultsOfEach(batch).sort((a, b) => (orgOf(a) < orgOf(b) ? -1 : Number(orgOf(a) > orgOf(b))));
}

/**
 * Writes a batch that was refused as a whole: halves, quarters and so on, larger parts first, until what is refused is
 * alone. `write` resolves to whether a part was written; what it throws ends the work. One bad endpoint among 500 costs
 * 18 transactions. The results of one endpoint stay together, so that none overtakes another.
 */
export async function writeInParts(
  endpoints: readonly EndpointResults[],
  write: (part: readonly EndpointResults[]) => Promise<boolean>,
): Promise<Split> {
  const poisoned: EndpointResults[] = [];
  let wroteAny = false;
  const parts = halves(endpoints);
  for (let done = 0, part = parts[0]; part; part = parts[++done]) {
    if (!wroteAny && done >= HOPELESS) return { wroteAny, poisoned: [...poisoned, ...parts.slice(done).flat()] };
    if (await write(part)) wroteAny = true;
    else if (part.length > 1) parts.push(...halves(part));
    else poisoned.push(...part);
  }
  return { wroteAny, poisoned };
}

function halves(endpoints: readonly EndpointResults[]): (readonly EndpointResults[])[] {
  if (endpoints.length < 2) return [endpoints];
  const middle = endpoints.length >> 1;
  return [endpoints.slice(0, middle), endpoints.slice(middle)];
}
