import { formatId } from '../platform/ids/id';
import { problems, type Problem } from '../platform/problem/problem';
import { type IncidentRow, type IncidentStatus, stateOf } from './incident-row';

/** Updates by people on one incident. */
export const MOST_UPDATES = 100;
/** Open incidents by hand of one organization. */
export const MOST_MANUAL = 100;

type Said = Pick<IncidentRow, 'kind' | 'status' | 'endedAt' | 'mergedInto' | 'openCount'>;

/** Why nothing may be done to it but read it. */
export const refusalOfMerged = ({ mergedInto }: Pick<IncidentRow, 'mergedInto'>): Problem | null =>
  mergedInto === null
    ? null
    : problems.conflict(`The incident was merged into ${formatId('incident', mergedInto)}. Use that incident instead.`);

/** Why this status cannot be said now. */
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

/** The status that an update has: what was sent, or what the first public one says by itself. */
export function statusOfUpdate(
  incident: Pick<IncidentRow, 'status' | 'endedAt' | 'mergedInto'>,
  sent: IncidentStatus | null,
  isPublic: boolean,
): IncidentStatus | null {
  if (sent !== null || !isPublic || incident.status !== null) return sent;
  return stateOf(incident) === 'open' ? 'investigating' : 'resolved';
}

/** The status of the incident once this was said. */
export const statusAfter = (before: IncidentStatus | null, said: IncidentStatus | null): IncidentStatus | null =>
  said === null || said === 'postmortem' ? before : said;

/** What the service says by itself when the last word contradicts what is measured; `null`: nothing. */
export function automaticStatus({
  status,
  endedAt,
}: Pick<IncidentRow, 'status' | 'endedAt'>): 'investigating' | 'resolved' | null {
  if (status === null) return null;
  if (endedAt === null) return status === 'resolved' ? 'investigating' : null;
  return status === 'resolved' ? null : 'resolved';
}
