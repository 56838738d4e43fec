import type { ProbesByLocation } from '../../../endpoint/locations/locations';
import type { Caller } from '../../../platform/access/caller';
import { may } from '../../../platform/access/permissions';
import type { FieldChange, Planned, PlannedAction } from '../plan';
import { changesOf, settingsOfNew, type Sides } from '../field-changes';
import type { Match, Stored } from '../matching';
import type { PlanFindings } from '../plan-findings';
import type { PresentState } from '../state/present-state';
import type { References } from '../references';
import { withMasks } from './hidden-values';

/** The request for a plan, and the state that the plan is based on. */
export interface Planning {
  caller: Caller;
  /** This installation's hostname that the request was sent to. */
  host: string | undefined;
  owner: string | null;
  state: PresentState;
  references: References;
  findings: PlanFindings;
  /** Pointers to the secrets whose values were sent. */
  secrets: ReadonlySet<string>;
  /** The probes that endpoints use now or will use, in their planned state. */
  probes: ProbesByLocation;
  /** Credentials that were sent and differ from the stored ones. */
  guesses: Set<string>;
}

/**
 * Records values that were sent to replace a stored credential that even write keys can't see. Nothing is compared for
 * read keys.
 */
export function noteGuesses(
  { caller, guesses }: Planning,
  { before, hidden = [] }: Sides,
  named: () => readonly string[],
): void {
  if (before === null || !may(caller, 'secrets.read') || !hidden.includes('config')) return;
  for (const value of named()) guesses.add(value);
}

/** The effect of a change on a resource, with key paths instead of IDs in its views. */
export interface Preview extends Sides {
  /** Whether there is a change that has no name and that neither view shows. */
  isChanged?: boolean;
}

/**
 * Calls a service with a config. For a read key, the config has the masks of the stored one. If masks can't be used
 * because the config's destination has changed, this is a change regardless of the hidden values.
 */
export function asSeen<Dto extends { config?: object }, Result>(
  { caller }: Planning,
  masked: object,
  dto: Dto,
  work: (dto: Dto) => Result,
): Result {
  if (may(caller, 'secrets.read') || dto.config === undefined) return work(dto);
  try {
    return work({ ...dto, config: withMasks(dto.config, masked) as object });
  } catch {
    return work(dto);
  }
}

/**
 * Returns the planned change of a declared resource, given its service's preview. `more` contains changes that no view
 * shows.
 */
export function planned<Declared extends object, Present extends Stored, Dto>(
  { owner }: Planning,
  { path, id, present, declared }: Match<Declared, Present>,
  preview: Preview,
  dto: Dto,
  more: readonly FieldChange[] = [],
): Planned<Dto> {
  const isToBeOwned = owner !== null && present?.owner !== owner;
  if (!present) {
    const fields = [...settingsOfNew(preview.after, declared), ...more];
    return { action: 'create', path, id, fields, dto, isToBeOwned };
  }
  const changes = [...changesOf(preview), ...more];
  const ownership = isToBeOwned ? [{ pointer: '/owner', before: present.owner, after: owner }] : [];
  const isAdopted = isToBeOwned || present.externalKey === null;
  const action: PlannedAction = isAdopted ? 'adopt' : changes.length > 0 ? 'update' : 'unchanged';
  return { action, path, id, fields: [...changes, ...ownership], dto: changes.length > 0 ? dto : null, isToBeOwned };
}
