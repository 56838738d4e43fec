import type { Acknowledgement, IncidentDetails, IncidentMember, IncidentUpdate } from '../api/types';

type Member = Pick<IncidentMember, 'endpoint_name' | 'started_at' | 'ended_at' | 'error' | 'suppressed'>;

export type Entry = { at: string } & (
  | { kind: 'began' | 'joined' | 'left' | 'over'; members: Member[] }
  | { kind: 'said'; update: IncidentUpdate }
  | { kind: 'acknowledged'; acknowledgement: Acknowledgement; isNow: boolean }
);

/** Events that occur within this many milliseconds of the first one share an entry. */
const TOGETHER_MS = 60_000;

/** Groups members by time. Members whose times are close together share a group. */
function gathered(
  members: readonly Member[],
  timeOf: (member: Member) => string | null,
): [at: string, members: Member[]][] {
  const groups: [at: string, members: Member[]][] = [];
  const timed = members.flatMap((member) => {
    const at = timeOf(member);
    return at === null ? [] : [{ at, member }];
  });
  for (const { at, member } of timed.sort((a, b) => a.at.localeCompare(b.at))) {
    const last = groups.at(-1);
    if (last && Date.parse(at) - Date.parse(last[0]) <= TOGETHER_MS) last[1].push(member);
    else groups.push([at, [member]]);
  }
  return groups;
}

/**
 * Returns the timeline, newest first: endpoints that joined and recovered, updates, and acknowledgements. `members` has
 * those loaded so far.
 */
export function timelineOf(
  incident: Pick<IncidentDetails, 'started_at' | 'ended_at' | 'acknowledgement' | 'past_acknowledgements'>,
  members: readonly Member[],
  updates: readonly IncidentUpdate[],
): Entry[] {
  const { ended_at, acknowledgement, past_acknowledgements } = incident;
  const joined = gathered(members, ({ started_at }) => started_at).map(([at, list], index): Entry => ({
    kind: index === 0 ? 'began' : 'joined',
    at,
    members: list,
  }));
  const left = gathered(members, (member) => member.ended_at).map(([at, list]): Entry => ({
    kind: 'left',
    at,
    members: list,
  }));
  const last = left.at(-1);
  // If the incident ended when its last endpoint recovered, both events share an entry.
  if (ended_at !== null && last && Date.parse(ended_at) - Date.parse(last.at) <= TOGETHER_MS)
    Object.assign(last, { kind: 'over', at: ended_at });
  else if (ended_at !== null) left.push({ kind: 'over', at: ended_at, members: [] });
  const said = updates.map((update): Entry => ({ kind: 'said', at: update.at, update }));
  const inHand = [...(acknowledgement ? [acknowledgement] : []), ...past_acknowledgements].map((each): Entry => ({
    kind: 'acknowledged',
    at: each.at,
    acknowledgement: each,
    isNow: each === acknowledgement,
  }));
  if (joined.length === 0) joined.push({ kind: 'began', at: incident.started_at, members: [] });
  return [...joined, ...left, ...inHand, ...said]
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => Date.parse(b.entry.at) - Date.parse(a.entry.at) || b.index - a.index)
    .map(({ entry }) => entry);
}
