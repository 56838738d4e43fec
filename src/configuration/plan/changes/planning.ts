import type { ProbesByLocation } from '../../../endpoint/locations/locations';
import type { Caller } from '../../../platform/access/caller';
import type { FieldChange, Planned, PlannedAction } from '../plan';
import { changesOf, settingsOfNew, type Sides } from '../field-changes';
import type { Match, Stored } from '../matching';
import type { PlanFindings } from '../plan-findings';
import type { PresentState } from '../state/present-state';
import type { References } from '../references';
import { withMasks } from './hidden-values';

/** Who asks for a plan, for what, and what is known. */
export interface Planning {
  caller: Caller;
  /** The host name of this installation that the request was sent to. */
  host: string | undefined;
  owner: string | null;
  state: PresentState;
  references: References;
  findings: PlanFindings;
  /** Pointers of what secrets stand for whose values were sent. */
  secrets: ReadonlySet<string>;
  /** That endpoints name or are to name, as they will be. */
  probes: ProbesByLocation;
  /** Credentials that were sent in place of others. */
  guesses: Set<string>;
}

/** What was sent in place of a stored credential that even who may write is not shown. Of a read key none is compared. */
export function noteGuesses(
  { caller, guesses }: Planning,
  { before, hidden = [] }: Sides,
  named: () => readonly string[],
): void {
  if (before === null || caller.role === 'read' || !hidden.includes('config')) return;
  for (const value of named()) guesses.add(value);
}

/** What a service makes of a resource, its views with key paths instead of ids. */
export interface Preview extends Sides {
  /** A change that both views look alike in, and that has no name. */
  isChanged?: boolean;
}

/**
 * What a service makes of a config. For a read key with the masks of the stored one; where masks cannot stand for it, because
 * the config leads elsewhere now, it is a change whatever the hidden values are.
 */
export function asSeen<Dto extends { config?: object }, Result>(
  { caller }: Planning,
  masked: object,
  dto: Dto,
  work: (dto: Dto) => Result,
): Result {
  if (caller.role !== 'read' || dto.config === undefined) return work(dto);
  try {
    return work({ ...dto, config: withMasks(dto.config, masked) as object });
  } catch {
    return work(dto);
  }
}

/** What becomes of a declared resource, once a service has seen it. `more`: changes that no view shows. */
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
