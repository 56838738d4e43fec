import type { Incident, IncidentDetail, IncidentUpdate } from '../../client/index.cjs';
import { type Colour, type Paint, shown, table } from '../uptime/style';

/** The incident fields that a list needs. */
export type ListedIncident = Pick<
  Incident,
  | 'number'
  | 'kind'
  | 'severity'
  | 'state'
  | 'status'
  | 'title'
  | 'summary'
  | 'started_at'
  | 'endpoint_count'
  | 'open_count'
>;

/** The incident fields that the detailed view needs. */
export type ShownIncident = ListedIncident &
  Pick<IncidentDetail, 'ended_at' | 'public' | 'acknowledgement' | 'endpoints' | 'updates'>;

const COLOURS: Readonly<Record<string, Colour>> = { down: 'red', degraded: 'yellow', open: 'cyan' };

/** Returns the severity of an open incident, or the state of a resolved one. */
const wordOf = ({ state, severity }: ListedIncident): string => (state === 'open' ? (severity ?? 'open') : state);
const nameOf = ({ title, summary }: ListedIncident): string => title ?? summary ?? '';
const countOf = ({ kind, open_count, endpoint_count }: ListedIncident): string =>
  kind === 'manual' ? 'manual' : `${open_count} of ${endpoint_count}`;

export function incidentTable(found: readonly ListedIncident[], paint: Paint): string[] {
  const rows = found.map((each) => [
    `#${each.number}`,
    wordOf(each),
    each.started_at,
    countOf(each),
    each.status ?? '-',
    shown(nameOf(each)),
  ]);
  return table(['NUMBER', 'STATE', 'SINCE', 'FAILING', 'STATUS', 'SUMMARY'], rows, (column, cell, [, word = '']) =>
    column === 1 ? paint(COLOURS[word] ?? 'faint', cell) : cell,
  );
}

/** Returns a summary, the endpoints, and the updates (newest first). */
export function incidentLines(incident: ShownIncident, paint: Paint): string[] {
  const { number, title, summary, started_at, ended_at, acknowledgement, status, endpoints, updates } = incident;
  const word = wordOf(incident);
  const facts = [
    `since ${started_at}`,
    ended_at && `until ${ended_at}`,
    incident.kind === 'manual' ? 'manual' : `${countOf(incident)} failing`,
    status,
    incident.public && 'public',
    acknowledgement && `acknowledged by ${shown(acknowledgement.by ?? 'someone')}`,
  ];
  return [
    `#${number}  ${paint(COLOURS[word] ?? 'faint', word)}  ${facts.filter(Boolean).join(', ')}`,
    ...[title, summary].flatMap((text) => (text === null ? [] : [`  ${shown(text)}`])),
    ...endpointLines(incident, paint),
    ...(endpoints.length < incident.endpoint_count ? [`  and ${incident.endpoint_count - endpoints.length} more`] : []),
    ...updates.flatMap((update) => updateLines(update, paint)),
  ];
}

function endpointLines({ endpoints }: ShownIncident, paint: Paint): string[] {
  if (endpoints.length === 0) return [];
  const rows = endpoints.map((one) => [
    one.ended_at === null ? (one.suppressed ? 'suppressed' : 'failing') : 'recovered',
    shown(one.website_name, 40),
    shown(one.endpoint_name, 40),
    one.started_at,
    one.ended_at ?? '-',
    one.error?.code ?? '-',
  ]);
  return table(['', 'WEBSITE', 'NAME', 'SINCE', 'UNTIL', 'ERROR'], rows, (column, cell, [word]) =>
    column === 0 ? paint(word === 'recovered' ? 'green' : 'red', cell) : cell,
  );
}

/** Returns the author and time of an update, followed by its text. */
export function updateLines(
  { at, by, status, text, public: isPublic, automatic }: IncidentUpdate,
  paint: Paint,
): string[] {
  const facts = [automatic ? 'automatic' : (by ?? 'someone'), status, isPublic && 'public'];
  const words = text.split('\n').filter((line) => line.trim() !== '');
  return [
    `${at}  ${paint('cyan', shown(facts.filter(Boolean).join(', ')))}`,
    ...words.map((line) => `  ${shown(line, 5000)}`),
  ];
}
