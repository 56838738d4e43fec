import type { FoldedIncident, Notification } from '../notification';
import { plural } from '../../platform/text/plural';
import { cut, oneLine } from '../../platform/text/text-limits';
import type { MessageKind, NotificationTone } from './message-kind';
import { again, durationText, recoveryText } from './wording';

/** Several notifications in one, about an incident or about anything else. */
export const DIGEST: MessageKind = {
  about: 'incident',
  paging: 'trigger',
  countsAs: 'resolved',
  tone: ({ digest }) => digestTone(digest),
  title: ({ digest }) => digestSentence(digest),
  sentence: ({ digest }) => digestSentence(digest),
  inDigest: recoveryText,
};

function digestTone(digest: Notification['digest']): NotificationTone {
  if ((digest?.triggered ?? 0) === 0) return 'good';
  return digest?.incident && isAllDegraded(digest) ? 'warning' : 'bad';
}

function digestSentence(digest: Notification['digest']): string {
  if (digest?.incident) return foldSentence(digest, digest.incident);
  const { triggered, resolved, contacts = 0, certificates = 0 } = digest ?? { triggered: 0, resolved: 0 };
  const down = `${plural(triggered, 'alert')} triggered`;
  const up = triggered === 0 ? `${plural(resolved, 'alert')} resolved` : `${resolved} resolved`;
  const failing = `${plural(contacts, 'contact')} failing`;
  const ending = `${plural(certificates, 'certificate')} expiring`;
  const said = [
    ...(triggered > 0 ? [down] : []),
    ...(resolved > 0 ? [up] : []),
    ...(contacts > 0 ? [failing] : []),
    ...(certificates > 0 ? [ending] : []),
  ];
  return said.join(', ') || down;
}

type Digest = NonNullable<Notification['digest']>;

/**
 * Returns a sentence such as "39 more, all at 192.0.2.1: connection refused (incident #12)". For the end of an
 * incident, returns "Incident #12 is over: 40 endpoints, 23 min".
 */
function foldSentence(
  digest: Digest,
  { number, down, up, endpoints, open, durationSeconds, outages = 1, ...incident }: FoldedIncident,
) {
  if (down === 0 && durationSeconds !== null)
    return `Incident #${number} is over: ${plural(endpoints, 'endpoint')}, ${durationText(durationSeconds)}${outages > 1 ? ` in ${outages} outages` : ''}`;
  const which = `(incident #${number})`;
  if (down === 0) return `${plural(up, 'endpoint')} ${are(up)} back up, ${open} still down ${which}`;
  const state = isAllDegraded(digest) ? 'degraded' : 'down';
  const upAgain = up > 0 ? `, ${up} back up` : '';
  if (incident.isReminder) return `${plural(down, 'endpoint')} ${are(down)} still ${state}${upAgain} ${which}`;
  const where = incident.address === null ? '' : ` at ${oneLine(incident.address)}`;
  const said = `${sharedMessage(digest)}${upAgain} ${which}`;
  if (!incident.isMore || outages > 1)
    return `${plural(down, 'endpoint')}${where} ${are(down)} ${state}${again(outages)}${said}`;
  return where === '' ? `${down} more ${are(down)} ${state}${said}` : `${down} more, all${where}${said}`;
}

const are = (count: number): string => (count === 1 ? 'is' : 'are');

const isAllDegraded = ({ members }: Digest): boolean =>
  members.every(({ kind, isDegraded }) => kind !== 'triggered' || isDegraded);

/** Returns the error message that all listed endpoints share, or an empty string if they differ. */
function sharedMessage({ members }: Digest): string {
  const messages = new Set(members.filter(({ kind }) => kind === 'triggered').map(({ message }) => oneLine(message)));
  const [first] = messages;
  return messages.size === 1 && first ? `: ${first.replace(/(?<!\.)\.+$/, '')}` : '';
}

/** Returns one line for each member that the digest names. */
export function digestLines(digest: Notification['digest']): string[] {
  if (!digest) return [];
  const lines = digest.members.map(({ kind, isDegraded, endpoint, website, message }) => {
    if (kind === 'contact') return cut(`FAILING ${oneLine(endpoint)}: ${oneLine(message)}`, 300);
    const state =
      kind === 'certificate' ? 'CERTIFICATE' : kind === 'resolved' ? 'UP' : isDegraded ? 'DEGRADED' : 'DOWN';
    return cut(`${state} ${oneLine(endpoint)} (${oneLine(website)}): ${oneLine(message)}`, 300);
  });
  const { triggered, resolved, contacts = 0, certificates = 0, members } = digest;
  const more = triggered + resolved + contacts + certificates - members.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}
