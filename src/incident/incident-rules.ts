import { formatId } from '../platform/ids/id';
import { problems, type Problem } from '../platform/problem/problem';
import { type IncidentRow, type IncidentStatus, stateOf } from './incident-row';

/** The maximum number of updates that users may post on one incident. */
export const MOST_UPDATES = 100;
/** The maximum number of an organization's open manual incidents. */
export const MOST_MANUAL = 100;

type Said = Pick<IncidentRow, 'kind' | 'status' | 'endedAt' | 'mergedInto' | 'openCount'>;

/** Returns why a merged incident is read-only, or `null` for others. */
export const refusalOfMerged = ({ mergedInto }: Pick<IncidentRow, 'mergedInto'>): Problem | null =>
  mergedInto === null
    ? null
    : problems.conflict(`The incident was merged into ${formatId('incident', mergedInto)}. Use that incident instead.`);

/** Returns why this status can't be set now. */
export function refusalOfStatus(incident: Said, status: IncidentStatus | null): Problem | null {
  if (status === null) return null;
  const { openCount } = incident;
  const isOver = stateOf(incident) !== 'open';
  if (status === 'resolved')
    return openCount === 0
      ? null
      : problems.conflict(
          openCount === 1
            ? '1 endpoint of the incident is still failing. Post `resolved` after it has recovered.'
            : `${openCount} endpoints of the incident are still failing. Post \`resolved\` after they have recovered.`,
        );
  if (status === 'postmortem')
    return isOver
      ? null
      : problems.conflict('The incident is still open. You can post a postmortem after it has ended.');
  if (!isOver) return null;
  return problems.conflict(
    incident.kind === 'manual'
      ? 'The incident has ended. Create a new incident.'
      : 'The incident has ended. It reopens automatically if one of its endpoints fails again within 15 minutes.',
  );
}

/** Returns an update's status. The first public update without a status gets one automatically. */
export function statusOfUpdate(
  incident: Pick<IncidentRow, 'status' | 'endedAt' | 'mergedInto'>,
  sent: IncidentStatus | null,
  isPublic: boolean,
): IncidentStatus | null {
  if (sent !== null || !isPublic || incident.status !== null) return sent;
  return stateOf(incident) === 'open' ? 'investigating' : 'resolved';
}

/** Returns the incident's status after this update. */
export const statusAfter = (before: IncidentStatus | null, said: IncidentStatus | null): IncidentStatus | null =>
  said === null || said === 'postmortem' ? before : said;

/** Returns the status that the service posts automatically if the last one contradicts the checks, or `null`. */
export function automaticStatus({
  status,
  endedAt,
}: Pick<IncidentRow, 'status' | 'endedAt'>): 'investigating' | 'resolved' | null {
  if (status === null) return null;
  if (endedAt === null) return status === 'resolved' ? 'investigating' : null;
  return status === 'resolved' ? null : 'resolved';
}
